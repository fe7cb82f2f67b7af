/** What `troupe doctor` looks at, in this order. */
export const DOCTOR_CHECKS = [
  "node",
  "settings",
  "database",
  "version",
  "standby",
  "replication",
  "pooler",
  "privileges",
  "clock",
  "schema",
  "secrets_key",
  "disk",
  "public_url",
  "model",
  "telegram",
  "egress"
] as const
export type DoctorCheck = (typeof DOCTOR_CHECKS)[number]

/** The result of one check, in a sentence. */
export interface Finding {
  readonly check: DoctorCheck
  /** `warning`: it works, but not as it should. `skipped`: it does not apply here, or depends on one that failed. */
  readonly status: "ok" | "warning" | "wrong" | "skipped"
  readonly message: string
  /** What to do. Null unless something is wrong or a warning. */
  readonly fix: string | null
}

export const fine = (check: DoctorCheck, message: string): Finding => ({ check, status: "ok", message, fix: null })
export const skipped = (check: DoctorCheck, message: string): Finding => ({
  check,
  status: "skipped",
  message,
  fix: null
})
export const wrong = (check: DoctorCheck, message: string, fix: string): Finding => ({
  check,
  status: "wrong",
  message,
  fix
})
export const warned = (check: DoctorCheck, message: string, fix: string): Finding => ({
  check,
  status: "warning",
  message,
  fix
})
