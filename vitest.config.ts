import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/support/LongestFirst.ts"
import { SlowestFiles } from "./test/support/SlowestFiles.ts"

const SETUP = {
  globalSetup: ["test/support/globalSetup.ts"],
  pool: "forks" as const,
  testTimeout: 60_000,
  hookTimeout: 120_000
}
/** Tests that start several real processes each. They run alone on the machine. */
const PROCESSES = ["test/e2e/**/*.test.ts", "test/db/postgres/embedded.test.ts"]

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: ["default", new SlowestFiles()],
    projects: [
      { test: { ...SETUP, name: "processes", include: PROCESSES, maxWorkers: 2, sequence: { groupOrder: 1 } } },
      // One file after another in the same process, which loads the server once.
      {
        test: {
          ...SETUP,
          name: "server",
          include: ["test/**/*.test.ts"],
          exclude: PROCESSES,
          isolate: false,
          maxWorkers: 4,
          sequence: { groupOrder: 2 }
        }
      }
    ]
  }
})
