import { defineConfig } from "vitest/config"
import { TEST_MS } from "./test/support/patience.ts"
import { FileOrder } from "./test/support/suite/FileOrder.ts"
import { RunSummary } from "./test/support/suite/RunSummary.ts"

/**
 * Files that measure the memory or the processor time of their process, look at what it has loaded, or call every
 * function there is. Each has a process of its own, so that they measure nothing that an earlier file has left.
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
  "http/server/reference-thread",
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

/** Files that start processes of their own, and mostly wait for them. */
const PROCESSES = ["test/e2e/**/*.test.ts", "test/db/postgres/embedded.test.ts"]

const SETUP = ["test/support/suite/seed.ts", "test/support/suite/endsBlocked.ts"]
/** What holds for every test file. */
export const FILE = { pool: "forks", testTimeout: TEST_MS, hookTimeout: TEST_MS, setupFiles: SETUP } as const
/** One file after another in the same process, which loads the server once. */
const sharing = { ...FILE, isolate: false, maxWorkers: 4 } as const

/** The projects run one after another, in the order of their groups. */
export default defineConfig({
  test: {
    globalSetup: ["test/support/suite/globalSetup.ts"],
    sequence: { sequencer: FileOrder },
    reporters: ["default", new RunSummary()],
    projects: [
      { test: { ...FILE, name: "alone", include: ALONE, isolate: true, maxWorkers: 1, sequence: { groupOrder: 1 } } },
      {
        test: {
          ...sharing,
          name: "inside",
          include: ["test/**/*.test.ts"],
          exclude: [...ALONE, ...PROCESSES],
          setupFiles: [...SETUP, "test/support/suite/leavesNothing.ts"],
          sequence: { groupOrder: 2 }
        }
      },
      { test: { ...sharing, name: "processes", include: PROCESSES, sequence: { groupOrder: 3 } } }
    ]
  }
})
