import { FAILURES_IN_A_ROW } from "#src/health/limits.ts"
import type { Html } from "#src/http/server/page.ts"
import { counted } from "./figures.ts"
import { tag } from "./icons.ts"

/** What is active while all its attempts fail is not all right. */
export const activeState = (failures: number): Html =>
  failures === 0
    ? tag("good", "active")
    : tag(failures < FAILURES_IN_A_ROW ? "warn" : "bad", `active, ${counted(failures, "failure")} in a row`)
