import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { link, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { makeDataDir } from "#src/db/postgres/dataDir.ts"
import { SecretsKeys } from "#src/db/postgres/Secrets.ts"
import { secretsKey } from "#src/db/postgres/secretsCipher.ts"
import { BadSetting, key } from "#src/settings/checks.ts"
import { Settings } from "#src/settings/Settings.ts"

const isCode = (error: unknown, code: string) => error instanceof Error && "code" in error && error.code === code

/** Writes the whole key under another name first. link(2) lets one process win, and nobody reads a partial key. */
const makeKeyFile = async (path: string): Promise<void> => {
  const draft = `${path}.${randomBytes(6).toString("hex")}`
  await writeFile(draft, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flag: "wx", flush: true })
  try {
    await link(draft, path)
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error
  } finally {
    await rm(draft, { force: true })
  }
}

const readKeyFile = async (path: string): Promise<string> => {
  try {
    return await readFile(path, "utf8")
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error
    await makeKeyFile(path)
    return readFile(path, "utf8")
  }
}

/** The key of a development machine. It is created on the first start, next to its database. */
const keyOfDataDir = Effect.fnUntraced(function* (dataDir: string) {
  const path = join(yield* makeDataDir(dataDir), "secrets.key")
  const text = yield* Effect.tryPromise({
    try: () => readKeyFile(path),
    catch: (cause) =>
      new BadSetting({
        setting: "DATA_DIR",
        problem: `its secrets.key can be neither read nor created: ${String(cause)}; you can set SECRETS_KEY instead`
      })
  })
  return (
    (yield* key(`SECRETS_KEY (in ${path})`, Option.some(Redacted.make(text)))) ??
    (yield* new BadSetting({ setting: "SECRETS_KEY", problem: `${path} is empty` }))
  )
})

/** The keys that are set, or stored in DATA_DIR. None is created. */
export const givenSecretsKeys = Effect.gen(function* () {
  const { dataDir, secrets } = yield* Settings
  const stored = yield* Effect.tryPromise(() => readFile(join(dataDir, "secrets.key"), "utf8")).pipe(
    Effect.flatMap((text) => key("SECRETS_KEY", Option.some(Redacted.make(text)))),
    Effect.orElseSucceed(() => null)
  )
  return [secrets.key ?? stored, secrets.newKey].flatMap((given) => (given === null ? [] : [secretsKey(given)]))
})

/** The keys for secrets at rest, from the settings. */
export const secretsKeys = Layer.effect(
  SecretsKeys,
  Effect.gen(function* () {
    const { production, dataDir, secrets } = yield* Settings
    if (secrets.key === null && production) {
      return yield* new BadSetting({
        setting: "SECRETS_KEY",
        problem: "must be set in production: 32 bytes in base64, as openssl rand -base64 32 prints"
      })
    }
    const current = secretsKey(secrets.key ?? (yield* keyOfDataDir(dataDir)))
    // Every process that knows the new key encrypts with it. So a rotation that has processed all rows has missed none.
    const sealing = secrets.newKey === null ? current : secretsKey(secrets.newKey)
    return { sealing, opening: [sealing, current] }
  })
)
