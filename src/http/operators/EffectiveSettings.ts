import * as Context from "effect/Context"

/** A setting as this process has read it. */
export interface EffectiveSetting {
  readonly name: string
  /** The text as it was set, or the default. Null: there is none, or it is a secret. */
  readonly value: string | null
  readonly source: "environment" | "default"
  /** Of a secret, only this is told. */
  readonly isSecret: boolean
  readonly isSet: boolean
}

/** The settings of this process, by name. */
export class EffectiveSettings extends Context.Service<EffectiveSettings, ReadonlyArray<EffectiveSetting>>()(
  "src/http/operators/EffectiveSettings"
) {}
