/** Makes a filter of system calls from a profile as container runtimes take it, for bubblewrap, on this machine's architecture. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A profile, as far as this reads it. */
interface Profile {
  defaultErrnoRet: number;
  syscalls: { names: string[]; args?: { index: number; value: number; op: string }[] }[];
}

/** True where Debian's package seccomp tells the numbers of system calls. */
export const canFilter = spawnSync("scmp_sys_resolver", ["read"]).status === 0;

/** linux/audit.h: AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64. */
const ARCHITECTURE = process.arch === "arm64" ? 0xc00000b7 : 0xc000003e;
/** linux/seccomp.h */
const [ALLOW, KILL, ERRNO] = [0x7fff0000, 0x80000000, 0x00050000];
/** linux/bpf_common.h: load a word, jump if equal, return. */
const [LOAD, JUMP_IF_EQUAL, RETURN] = [0x20, 0x15, 0x06];
/** Offsets in `struct seccomp_data`. */
const [OF_NUMBER, OF_ARCHITECTURE, OF_ARGUMENTS] = [0, 4, 16];

/** Returns a program of classic BPF that allows what the profile allows, and refuses the rest with its error number. */
export function filterOf(path: string): Buffer {
  const { syscalls, defaultErrnoRet } = JSON.parse(readFileSync(path, "utf8")) as Profile;
  const program: [code: number, ifTrue: number, ifFalse: number, operand: number][] = [
    [LOAD, 0, 0, OF_ARCHITECTURE],
    [JUMP_IF_EQUAL, 1, 0, ARCHITECTURE],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, OF_NUMBER],
  ];
  for (const { names, args = [] } of syscalls)
    for (const number of numbersOf(names)) {
      const [condition] = args;
      if (condition === undefined) program.push([JUMP_IF_EQUAL, 0, 1, number], [RETURN, 0, 0, ALLOW]);
      else
        program.push(
          [JUMP_IF_EQUAL, 0, 4, number],
          [LOAD, 0, 0, OF_ARGUMENTS + 8 * condition.index],
          [JUMP_IF_EQUAL, 0, 1, condition.value],
          [RETURN, 0, 0, ALLOW],
          [LOAD, 0, 0, OF_NUMBER],
        );
    }
  program.push([RETURN, 0, 0, ERRNO + defaultErrnoRet]);
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, operand], i) => {
    bytes.writeUInt16LE(code, i * 8);
    bytes.writeUInt8(ifTrue, i * 8 + 2);
    bytes.writeUInt8(ifFalse, i * 8 + 3);
    bytes.writeUInt32LE(operand, i * 8 + 4);
  });
  return bytes;
}

/** Returns the numbers of these system calls; those that this architecture does not have are left out. */
function numbersOf(names: readonly string[]): number[] {
  return names
    .map((name) => Number(execFileSync("scmp_sys_resolver", [name], { encoding: "utf8" })))
    .filter((number) => number >= 0);
}
