import { defineConfig } from "vitest/config"
import { Interleaved } from "./test/support/suite/Interleaved.ts"
import { SlowestFiles } from "./test/support/suite/SlowestFiles.ts"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/suite/globalSetup.ts"],
    pool: "forks",
    // One file after another in the same process, which loads the server once.
    isolate: false,
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    sequence: { sequencer: Interleaved },
    reporters: ["default", new SlowestFiles()]
  }
})
