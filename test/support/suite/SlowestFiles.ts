import type { Reporter, TestModule } from "vitest/node"

const SHOWN = 10

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`
const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)

/** Prints the files whose tests took longest, and the totals, after a run of the suite. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    if (modules.length <= SHOWN) return
    const files = modules.map((module) => ({ file: module.relativeModuleId, ...module.diagnostic() }))
    const slowest = files.toSorted((one, other) => other.duration - one.duration).slice(0, SHOWN)
    const tests = sum(files.map(({ duration }) => duration))
    const imports = sum(files.map(({ collectDuration }) => collectDuration))
    console.log(
      `\nSlowest files:\n${slowest.map(({ file, duration }) => `${seconds(duration)}  ${file}`).join("\n")}\n` +
        `All ${files.length} files: ${seconds(tests)} for tests, ${seconds(imports)} for imports\n`
    )
  }
}
