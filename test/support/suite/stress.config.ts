import { defineConfig } from "vitest/config"
import { FILE } from "../../../vitest.config.ts"

const given = (name: string): string => process.env[`STRESS_${name}`] ?? ""

/** The same file as often as asked, in one run. Each try has a process of its own. */
export default defineConfig({
  test: {
    globalSetup: ["test/support/suite/globalSetup.ts"],
    projects: Array.from({ length: Number(given("TIMES")) }, (_, n) => ({
      test: {
        ...FILE,
        name: `try ${n + 1}`,
        include: [given("FILE")],
        maxWorkers: Number(given("LOAD")),
        sequence: { groupOrder: 1 }
      }
    }))
  }
})
