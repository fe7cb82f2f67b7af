import type { Reporter, TestModule } from "vitest/node"

const SHOWN = 10

/** Prints the files whose tests took longest, after a run of the suite. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    if (modules.length <= SHOWN) return
    const slowest = modules
      .map((module) => ({ file: module.relativeModuleId, seconds: module.diagnostic().duration / 1000 }))
      .toSorted((one, other) => other.seconds - one.seconds)
      .slice(0, SHOWN)
    console.log(
      `\nSlowest files:\n${slowest.map(({ file, seconds }) => `${seconds.toFixed(1)} s  ${file}`).join("\n")}\n`
    )
  }
}
