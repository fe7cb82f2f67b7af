import { defineConfig } from "vitest/config"
import { Interleaved } from "./test/support/suite/Interleaved.ts"
import { SlowestFiles } from "./test/support/suite/SlowestFiles.ts"

/**
 * Files that measure the memory or the processor time of their process, or call every function there is. Each has a
 * process of its own, so that they measure nothing that an earlier file has left.
 */
const ALONE = [
  "db/memory/nearest",
  "db/postgres/short-lived-queries",
  "http/character/assets",
  "http/character/large-characters",
  "http/character/readiness",
  "http/privacy/export-large",
  "http/server/ignored-fields",
  "http/server/large-bodies",
  "http/world/world",
  "imports/hostile-files",
  "pipeline/evals",
  "pipeline/gates",
  "pipeline/gates-harm",
  "pipeline/hostile-texts",
  "pipeline/lore",
  "pipeline/many-small-items",
  "pipeline/stopping-texts",
  "safety/ai-questions",
  "safety/alarms",
  "telegram/hook-bindings"
].map((name) => `test/${name}.test.ts`)

const file = { pool: "forks", testTimeout: 60_000, hookTimeout: 120_000 } as const

export default defineConfig({
  test: {
    globalSetup: ["test/support/suite/globalSetup.ts"],
    sequence: { sequencer: Interleaved },
    reporters: ["default", new SlowestFiles()],
    projects: [
      {
        test: { ...file, name: "alone", include: ALONE, isolate: true, maxWorkers: 1, sequence: { groupOrder: 1 } }
      },
      {
        test: {
          ...file,
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: ALONE,
          // One file after another in the same process, which loads the server once.
          isolate: false,
          maxWorkers: 4,
          sequence: { groupOrder: 2 }
        }
      }
    ]
  }
})
