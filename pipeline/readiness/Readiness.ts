export type Severity = "blocker" | "warning" | "info"

/**
 * The result of one check. `path` points into the character. Null: it is about the whole character or about the server.
 */
export interface Check {
  readonly key: CheckKey
  readonly severity: Severity
  readonly status: "pass" | "fail" | "skipped"
  readonly path: string | null
  readonly message: string
  /** What to do about it. Empty if there is nothing to do. */
  readonly fix: string
}

export const CHECKS = {
  voice_samples_min: "warning",
  example_dialogues_min: "warning",
  greeting_in_voice: "warning",
  forbidden_style_self_conflict: "warning",
  lore_budget: "warning",
  lore_unreachable_keys: "warning",
  bio_world_contradiction: "warning",
  age_and_posture: "blocker",
  instruction_text: "warning",
  real_person_signals: "warning",
  timezone_valid: "warning",
  thresholds_sane: "warning",
  assets_primary: "info",
  provider_available: "info"
} as const satisfies Readonly<Record<string, Severity>>
export type CheckKey = keyof typeof CHECKS

export const READINESS = ["ready", "needs_work", "blocked"] as const
export type ReadinessStatus = (typeof READINESS)[number]

/** What is wrong, where, and what to do about it. */
export interface Finding {
  readonly path: string | null
  readonly message: string
  readonly fix: string
}

export const failed = (key: CheckKey, { path, message, fix }: Finding): Check => ({
  key,
  severity: CHECKS[key],
  status: "fail",
  path,
  message,
  fix
})
export const passed = (key: CheckKey, message: string): Check => ({
  key,
  severity: CHECKS[key],
  status: "pass",
  path: null,
  message,
  fix: ""
})
export const skipped = (key: CheckKey, message: string, fix = ""): Check => ({
  key,
  severity: CHECKS[key],
  status: "skipped",
  path: null,
  message,
  fix
})

/** A check result: the first finding, if there is one. */
export const check = (key: CheckKey, wrong: Finding | null | undefined, right: string): Check =>
  wrong === null || wrong === undefined ? passed(key, right) : failed(key, wrong)

/** A blocker prevents conversations with the character. Informational checks have no effect on the status. */
export const statusOf = (checks: ReadonlyArray<Check>): ReadinessStatus => {
  const fails = (severity: Severity) => checks.some((one) => one.status === "fail" && one.severity === severity)
  return fails("blocker") ? "blocked" : fails("warning") ? "needs_work" : "ready"
}

const WEIGHTS: Readonly<Record<Severity, number>> = { blocker: 5, warning: 1, info: 0 }

/** The share of checks that passed, from 0 to 1. */
export const scoreOf = (checks: ReadonlyArray<Check>): number => {
  const weigh = (some: ReadonlyArray<Check>) => some.reduce((sum, { severity }) => sum + WEIGHTS[severity], 0)
  const looked = checks.filter(({ status }) => status !== "skipped")
  return Math.round((weigh(looked.filter(({ status }) => status === "pass")) / Math.max(1, weigh(looked))) * 100) / 100
}
