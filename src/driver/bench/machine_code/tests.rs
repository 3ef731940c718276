//! Small pieces of disassembly, read.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

use super::class::{self, Class, Classes};
use super::disassembly::{self, Section};
use super::figures;
use super::flow::{Flow, Loop};
use super::unrolling::{self, Advance};
use crate::analysis::occupancy::Resources;
use crate::driver::resources::MachineCode;

/// A section of these lines, the instructions without addresses and semicolons.
fn section(lines: &str) -> Section {
    let mut text = String::from("\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n");
    let mut address = 0;
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.ends_with(':') {
            text += &format!("{line}\n");
        } else {
            text += &format!("        /*{address:04x}*/                   {line} ;\n");
            address += 16;
        }
    }
    let found = disassembly::read(&text).sections;
    assert_eq!(found.len(), 1);
    found.into_iter().next().unwrap()
}

/// The numbers of a loop's header, of its instructions and its own ones, and its depth.
fn shape(one: &Loop) -> (usize, Vec<usize>, usize, usize) {
    let body = one.body.iter().copied().collect();
    (one.header, body, one.own.len(), one.depth)
}

fn loops(section: &Section) -> Vec<(usize, Vec<usize>, usize, usize)> {
    Flow::of(section).loops().iter().map(shape).collect()
}

fn advances(section: &Section) -> Vec<Option<Advance>> {
    let flow = Flow::of(section);
    let all = flow.loops();
    all.iter()
        .map(|own| unrolling::of(section, &flow, own))
        .collect()
}

const WHOLE: &str = "
\t.section\t.nv.info._Z3runPf,\"\",@\"SHT_CUDA_INFO\"
\t//----- nvinfo : EIATTR_MAX_THREADS
\t.align\t\t4
.L_27:
        /*01e0*/ \t.byte\t0x04, 0x05
.L_28:
        /*01e4*/ \t.word\t0x00000010
        /*01e8*/ \t.word\t0x00000008
        /*01ec*/ \t.word\t0x00000001
\t//----- nvinfo : EIATTR_CRS_STACK_SIZE
        /*01f4*/ \t.word\t0x00000008
\t.section\t.text._Z3runPf,\"ax\",@progbits
        .global         _Z3runPf
_Z3runPf:
.text._Z3runPf:
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/              @!P0 BRA `(.L_x_1) ;
        /*0020*/                   CALL.REL.NOINC `($__internal_0_$__cuda_sm20_div) ;
        /*0030*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0040*/                   DFMA R4, R2, R2, R4 ;
        /*0050*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
.L_x_1:
        /*0060*/                   EXIT ;
        .weak           $__internal_0_$__cuda_sm20_div
$__internal_0_$__cuda_sm20_div:
        /*0070*/                   IADD3 R2, R2, 0x1, RZ ;
        /*0080*/                   RET.REL.NODEC R6 `(_Z3runPf) ;
.L_x_2:
        /*0090*/                   BRA `(.L_x_2);
        /*00a0*/                   NOP;
.L_x_3:
\t.section\t.nv.shared._Z3runPf,\"aw\",@nobits
        /*0000*/                   .byte 0x04
";

#[test]
fn sections_bounds_labels_and_operands() {
    let found = disassembly::read(WHOLE);
    assert_eq!(found.bounds.get("_Z3runPf"), Some(&128));
    let [own] = found.sections.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(
        (own.symbol.as_str(), own.instructions.len()),
        ("_Z3runPf", 11)
    );
    let branch = &own.instructions[1];
    assert_eq!(branch.guard.as_deref(), Some("!P0"));
    assert_eq!(
        (branch.address, branch.labels.as_slice()),
        (16, [".L_x_1".to_owned()].as_slice())
    );
    assert!(branch.operands.is_empty() && branch.is_conditional());
    let back = &own.instructions[8];
    assert_eq!(
        (back.operands[0].as_str(), back.labels[0].as_str()),
        ("R6", "_Z3runPf")
    );
    assert_eq!(own.labels[".L_x_1"], 6);
    assert_eq!(
        disassembly::read("no code at all\n/*0000*/ X ;"),
        disassembly::Disassembly::default()
    );
}

#[test]
fn kernels_are_counted_without_calls_and_padding() {
    let code = MachineCode {
        resources: vec![(
            "_Z3runPf".to_owned(),
            Resources {
                kernel: "run".to_owned(),
                arch: 90,
                registers: 40,
                barriers: 1,
                shared: 16384,
                stack: 0,
                spills: 8,
            },
        )],
        disassembly: WHOLE.to_owned(),
    };
    let [kernel] = &figures::kernels(&code, &[])[..] else {
        panic!("one kernel");
    };
    assert_eq!((kernel.instructions, kernel.called), (7, 2));
    assert_eq!(
        (kernel.barriers, kernel.before_first, kernel.after_last),
        (2, Some(3), Some(1))
    );
    assert_eq!(
        (kernel.registers, kernel.spill_bytes, kernel.threads),
        (40, 8, Some(128))
    );
    // 228 KB hold 13 blocks of 17, registers 12 blocks of 4 warps.
    assert_eq!(kernel.occupancy, Some(75));
    assert_eq!(kernel.classes.all(), [1, 0, 0, 0, 3, 0, 2, 1]);
    assert!(kernel.loops.is_empty());
}

/// A loop with another in it, and a way around both.
#[test]
fn loops_in_loops() {
    let own = section(
        "@P0 EXIT
        .L_x_1:
            MOV R2, RZ
        .L_x_2:
            FADD R0, R0, R2
            @P1 BRA `(.L_x_2)
            IADD3 R1, R1, 0x1, RZ
            @!P2 BRA `(.L_x_1)
            EXIT
        .L_x_3:
            BRA `(.L_x_3)
            NOP",
    );
    let found = loops(&own);
    assert_eq!(
        found,
        [(1, vec![1, 2, 3, 4, 5], 3, 1), (2, vec![2, 3], 2, 2)]
    );
    assert_eq!(Flow::of(&own).own().len(), 7);
}

/// Two ways back to one header are one loop; a branch that only seems to go back is none.
#[test]
fn edges_back_need_a_header_on_every_path() {
    let two = section(
        ".L_x_1:
            ISETP.NE.AND P0, PT, R0, RZ, PT
            @P0 BRA `(.L_x_1)
            IADD3 R0, R0, 0x1, RZ
            @P1 BRA `(.L_x_1)
            EXIT",
    );
    assert_eq!(loops(&two), [(0, vec![0, 1, 2, 3], 4, 1)]);
    let out_of_line = section(
        "@P0 BRA `(.L_x_2)
        .L_x_1:
            EXIT
        .L_x_2:
            MOV R0, R1
            BRA `(.L_x_1)",
    );
    assert_eq!(loops(&out_of_line), []);
    let two_entries = section(
        "@P0 BRA `(.L_x_2)
        .L_x_1:
            MOV R0, R1
        .L_x_2:
            MOV R1, R0
            @P1 BRA `(.L_x_1)
            EXIT",
    );
    assert_eq!(loops(&two_entries), []);
}

#[test]
fn branches_on_guards_operands_and_divergence() {
    let after = |branch: &str| {
        let own = section(&format!("{branch}\nNOP\n.L_x_1:\nEXIT"));
        Flow::of(&own).after(0).to_vec()
    };
    assert_eq!(after("BRA `(.L_x_1)"), [2]);
    for branch in [
        "@!P0 BRA `(.L_x_1)",
        "@UP0 BRA `(.L_x_1)",
        "BRA !P2, `(.L_x_1)",
        "BRA.U UP0, `(.L_x_1)",
        "BRA.DIV UR4, `(.L_x_1)",
        "WARPSYNC.COLLECTIVE R15, `(.L_x_1)",
    ] {
        assert_eq!(after(branch), [1, 2], "{branch}");
    }
    for ahead in [
        "BSSY B0, `(.L_x_1)",
        "CALL.REL.NOINC `(.L_x_1)",
        "WARPSYNC.ALL",
        "@P0 EXIT",
    ] {
        assert_eq!(after(ahead), [1], "{ahead}");
    }
    for end in ["EXIT", "RET.REL.NODEC R6 `(k)", "KILL"] {
        assert_eq!(after(end), [0; 0], "{end}");
    }
    // A label that is nowhere, and one behind all instructions.
    assert_eq!(after("BRA `(.L_x_9)"), [0; 0]);
    assert_eq!(
        Flow::of(&section("BRA `(.L_x_1)\n.L_x_1:")).after(0),
        [0; 0]
    );
}

#[test]
fn jumps_by_a_table() {
    let own = section(
        ".L_x_1:
            BRX R12 -0xe80      (*\"BRANCH_TARGETS .L_x_2,.L_x_3,.L_x_1\"*)
            NOP
        .L_x_2:
            BRA `(.L_x_1)
        .L_x_3:
            EXIT",
    );
    assert_eq!(own.instructions[0].operands, ["R12 -0xe80"]);
    assert_eq!(Flow::of(&own).after(0), [0, 2, 3]);
    assert_eq!(loops(&own), [(0, vec![0, 2], 2, 1)]);
    let guarded = section("@P0 BRX R2 -0x10 (*\"BRANCH_TARGETS .L_x_1\"*)\nNOP\n.L_x_1:\nEXIT");
    assert_eq!(Flow::of(&guarded).after(0), [1, 2]);
}

/// Threads meet where the `BSSY` of that barrier says.
#[test]
fn threads_meet_again() {
    let usual = section(
        "BSSY B0, `(.L_x_1)
            @P0 BRA `(.L_x_2)
            NOP
        .L_x_2:
            BSYNC B0
        .L_x_1:
            BSSY B0, `(.L_x_3)
            BSYNC B0
        .L_x_3:
            EXIT",
    );
    assert_eq!(Flow::of(&usual).after(3), [4]);
    assert_eq!(loops(&usual), []);
    let elsewhere = section(
        "BSSY.RECONVERGENT B1, `(.L_x_1)
            BSYNC.RECONVERGENT B1
            NOP
        .L_x_1:
            EXIT",
    );
    assert_eq!(Flow::of(&elsewhere).after(1), [3]);
    assert_eq!(Flow::of(&section("BSYNC B0\nEXIT")).after(0), [1]);
}

#[test]
fn classes_of_instructions() {
    let of = |text: &str| class::of(&section(text).instructions[0]);
    let all = [
        (
            Class::FloatingPoint,
            "FFMA R0, R1, R2, R3|DADD R0, R2, R4|HADD2 R0, R1, R2|MUFU.RCP R0, R1|I2F R0, R1|F2I.TRUNC R0, R1|\
             FSETP.GT.AND P0, PT, R0, R1, PT|HMMA.16816.F32 R0, R4, R6, R0|UFADD UR0, UR1, UR2|\
             HFMA2.MMA R0, R1, R2, R3",
        ),
        (
            Class::Shared,
            "LDS.128 R0, [R4]|STS [R4], R0|ATOMS.ADD RZ, [R0], R1|LDSM.16.M88 R0, [R4]",
        ),
        (
            Class::Global,
            "LDG.E R0, desc[UR4][R2.64]|STG.E desc[UR4][R2.64], R0|REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R0|\
             LDGSTS.E [R0], desc[UR4][R2.64]|ATOMG.E.ADD R0, desc[UR4][R2.64], R1|LD.E R0, [R2]|UBLKCP [UR4], [UR6], UR8",
        ),
        (
            Class::Integer,
            "IADD3 R0, R0, 0x1, RZ|UIADD3 UR4, UR4, 0x1, URZ|ULEA UR4, UR5, UR6, 0x2|USHF.L.U32 UR4, UR4, 0x4, URZ|\
             IMAD.MOV.U32 R0, RZ, RZ, R1|MOV R0, R1|UMOV UR4, 0x400|R2UR UR4, R0|PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0|\
             HFMA2.MMA R19, -RZ, RZ, 0, 0|CS2R R2, SRZ|FLO.U32 R0, R1|UFLO.U32 UR0, UR1|POPC R0, R1",
        ),
        (
            Class::Control,
            "BRA `(.L_x_1)|BSSY B0, `(.L_x_1)|BSYNC B0|EXIT|WARPSYNC.ALL|BMOV.32.CLEAR RZ, B0|CALL.REL.NOINC `(f)",
        ),
        (
            Class::Shuffle,
            "SHFL.BFLY PT, R0, R1, 0x10, 0x1f|VOTE.ANY R0, PT, P0|VOTEU.ALL UP0, P0|REDUX.SUM UR4, R0|MATCH.ANY R0, R1",
        ),
        (
            Class::Barrier,
            "BAR.SYNC.DEFER_BLOCKING 0x0|MEMBAR.SC.GPU|LDGDEPBAR|DEPBAR.LE SB0, 0x0|SYNCS.ARRIVE.TRANS64 RZ, [UR4], RZ",
        ),
        (
            Class::Other,
            "LDC R0, c[0x0][0x28]|ULDC.64 UR4, c[0x0][0x208]|LDCU UR4, c[0x0][0x8]|S2R R0, SR_TID.X|\
             S2UR UR4, SR_CTAID.Y|LDL R0, [R1]|STL [R1], R0|NOP",
        ),
    ];
    for (class, texts) in all {
        for text in texts.split('|') {
            assert_eq!(of(text), class, "{text}");
        }
    }
    let own = section("FADD R0, R0, R1\nEXIT\nNOP");
    assert_eq!(
        Classes::of(own.instructions.iter()).all(),
        [1, 0, 0, 0, 1, 0, 0, 1]
    );
}

/// A loop with a counter that grows as said, the condition of its end, and such work.
fn counted(work: &str, growth: &str, end: &str) -> Option<Advance> {
    let own = section(&format!(
        ".L_x_1:\n{work}\n{growth}\n{end}\n@!P0 BRA `(.L_x_1)\nEXIT"
    ));
    let all = advances(&own);
    assert_eq!(all.len(), 1);
    all[0]
}

#[test]
fn steps_of_counters() {
    let step = |growth: &str, end: &str| counted("", growth, end).map(|advance| advance.step);
    let end = "ISETP.GE.AND P0, PT, R2, R3, PT";
    for (growth, expected) in [
        ("IADD3 R2, R2, 0x4, RZ", 4),
        ("VIADD R2, R2, 0xfffffffc", -4),
        ("IADD3 R2, R2, -0x1, RZ", -1),
        ("IADD3 R5, R2, 0x10, RZ\nMOV R2, R5", 16),
        ("IMAD.MOV.U32 R5, RZ, RZ, R2\nIMAD.IADD R2, R5, 0x1, 0x2", 2),
        (
            "IADD3 R2, P1, R2, 0x8, RZ\nIADD3.X R3, RZ, R3, RZ, P1, !PT",
            8,
        ),
    ] {
        assert_eq!(step(growth, end), Some(expected), "{growth}");
    }
    let uniform = step(
        "UIADD3 UR4, UR4, 0x2, URZ",
        "UISETP.GE.AND P0, UPT, UR4, UR5, UPT",
    );
    assert_eq!(uniform, Some(2));
    for other in [
        // By what is not constant, not in each iteration, twice, in a wide result; another predicate.
        "IADD3 R2, R2, R7, RZ",
        "@P3 IADD3 R2, R2, 0x1, RZ",
        "IADD3 R2, R2, 0x1, RZ\nMOV R2, R6",
        "IADD3 R2, R2, 0x1, RZ\nLDS.128 R0, [R8]",
        "SHF.R.U32.HI R2, RZ, 0x1, R2",
        "",
    ] {
        assert_eq!(step(other, end), None, "{other}");
    }
    assert_eq!(
        step("IADD3 R2, R2, 0x1, RZ", "FSETP.GE.AND P0, PT, R2, R3, PT"),
        None
    );
    assert_eq!(
        step("IADD3 R2, R2, 0x1, RZ", "ISETP.GE.AND P1, PT, R2, R3, PT"),
        None
    );
}

#[test]
fn factors_of_unrolled_loops() {
    let end = "ISETP.GE.AND P0, PT, R2, R3, PT";
    let factor = |work: &str, growth: &str| counted(work, growth, end).unwrap().factor;
    let two = "LDS R4, [R8]\nLDS R5, [R8+0x4]\nFADD R0, R0, R4\nFADD R0, R0, R5";
    let by = |step: u32| format!("IADD3 R2, R2, {step:#x}, RZ");
    assert_eq!(factor(two, &by(2)), Some(2));
    assert_eq!(factor(two, &by(1)), Some(1));
    // A source that goes by 16, and a loop without such instructions.
    assert_eq!(factor(two, &by(16)), None);
    assert_eq!(factor("IADD3 R9, R9, 0x1, RZ", &by(1)), None);
    // Wide accesses are as many words.
    let wide = "LDS.64 R4, [R8]\nFADD R0, R0, R4\nFADD R0, R0, R5";
    assert_eq!(factor(wide, &by(2)), Some(2));
    // The counter is an address: eight bytes are two elements.
    let address = "LDS R4, [R2]\nLDS R5, [R2+0x4]\nFADD R0, R0, R4\nFADD R0, R0, R5";
    assert_eq!(factor(address, &by(8)), Some(2));
}
