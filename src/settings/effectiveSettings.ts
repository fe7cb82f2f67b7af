import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import type { EffectiveSetting } from "#src/http/operators/EffectiveSettings.ts"

/** Names of settings whose values are never shown. OPENAI_MAX_TOKENS and the like count tokens of text. */
const SECRET = /(?:_KEY|_KEY_NEW|_TOKEN|_SECRET|PASSWORD|_PASS|_HEADERS|DATABASE_URL|DATABASE_DIRECT_URL)$/
export const isSecretSetting = (name: string): boolean => SECRET.test(name)

/** Defaults of text settings, by name. They are known once the settings were read. */
const defaults = new Map<string, string>()
export const declareDefault = (name: string, value: string): void => {
  defaults.set(name, value)
}

/** A user and a password in an address are left out. */
const withoutCredentials = (value: string): string => value.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1…@")

/** Reads settings, and notes each one that is looked up. */
export const notingSettings = <A, E, R>(read: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const provider = yield* ConfigProvider.ConfigProvider
    const seen = new Map<string, EffectiveSetting>()
    const noting = ConfigProvider.make((path) =>
      Effect.tap(provider.load(path), (node) =>
        Effect.sync(() => {
          const name = path.join("_")
          const given = node?._tag === "Value" && node.value.trim() !== "" ? node.value : null
          const isSecret = isSecretSetting(name)
          const value = given ?? defaults.get(name) ?? null
          seen.set(name, {
            name,
            value: isSecret || value === null ? null : withoutCredentials(value),
            source: given === null ? "default" : "environment",
            isSecret,
            isSet: given !== null
          })
        })
      )
    )
    const settings = yield* Effect.provideService(read, ConfigProvider.ConfigProvider, noting)
    return {
      settings,
      effective: [...seen.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
    }
  })
