import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { assert, describe, it } from "vitest"
import { Settings } from "#src/settings/Settings.ts"

const read = (env: Record<string, string>) =>
  Effect.runSync(
    Settings.pipe(
      Effect.provide(Settings.layer),
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))
    )
  )
const addressIn = (env: Record<string, string>): string => {
  const { databaseUrl } = read(env)
  return databaseUrl === null ? "none" : Redacted.value(databaseUrl)
}
const refusal = (env: Record<string, string>): string => {
  try {
    read(env)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return "read"
}

/** Each has "hush" and "crypt" on both sides of what is wrong. */
const PASSWORDS = [
  "hush/crypt",
  "/hushcrypt",
  "hushcrypt/",
  "hush//crypt",
  "hush?crypt",
  "hush?crypt=hush",
  "?hush",
  "hush#crypt",
  "#hush",
  "hush@crypt",
  "@hush",
  "hush@crypt@hush",
  "hush@crypt/hush",
  "hush/crypt@hush",
  "hush@crypt?hush",
  "hush@crypt:5432/hush",
  "hush%crypt",
  "hush%",
  "hush%zzcrypt",
  "hush%ffcrypt",
  "hush crypt",
  "hush\tcrypt",
  "hush%2Fcrypt hush",
  "hush[/crypt",
  "hush:/crypt",
  "1234/hush",
  "1234?hush",
  "1234#hush",
  "1234/5678",
  "1234?a=hush"
]

describe("an address of a database with a password that is not percent-encoded", () => {
  it.each(PASSWORDS)("is refused in one line, which says what to do and repeats no part of it: %s", (password) => {
    for (const [setting, at] of [
      ["DATABASE_URL", "@db.example:5432/troupe"],
      ["DATABASE_URL", "@db.example"],
      ["DATABASE_URL", "@one.example:5432,two.example:5433/troupe?sslmode=require"],
      ["DATABASE_DIRECT_URL", "@[::1]:5432/troupe"]
    ] as const) {
      const url = `postgres://keeper:${password}${at}`
      const said = refusal({ DATABASE_URL: "postgres://pooler/troupe", [setting]: url })
      assert.match(said, new RegExp(`^${setting}: .*percent-encoded.*PGPASSWORD[^\\n]*$`), url)
      for (const part of ["hush", "crypt", "keeper", "example", "1234"]) assert.notInclude(said, part)
    }
  })

  it("is refused as well if it is the user", () => {
    for (const user of ["kee@per", "kee/per", "kee#per", "kee?per", "kee%per"])
      assert.match(refusal({ DATABASE_URL: `postgresql://${user}:hush@h/d` }), /^DATABASE_URL: .*percent-encoded/, user)
  })
})

describe("an address of a database", () => {
  it.each([
    "postgres://h",
    "postgres://h/d",
    "postgres://u@h:5432/d",
    "postgres://u:hush@h/d?application_name=a@b",
    "postgres://h:5432/d?application_name=a@b",
    "postgres://h/my@d",
    "postgres://u@h/my@d",
    "postgres://u:hush@[::1]:5432,[::2]/d",
    "postgres://u:hush:hush[]^|$&+,;='()!*~.-_é@h/d",
    "postgresql://u%40tenant:%2F%23%3F%40%3A%25%26%20@h/d"
  ])("is taken as it is: %s", (url) => {
    assert.strictEqual(addressIn({ DATABASE_URL: url }), url)
    assert.strictEqual(addressIn({ DATABASE_URL: ` ${url}\n` }), url)
  })

  it("gets the password of PGPASSWORD if it has none, whatever its characters", () => {
    const PGPASSWORD = "/#?@:%& "
    const encoded = "%2F%23%3F%40%3A%25%26%20"
    for (const [url, whole] of [
      ["postgres://u@h/d", `postgres://u:${encoded}@h/d`],
      ["postgres://u:@h/d", `postgres://u:${encoded}@h/d`],
      ["postgres://u@one,two:5433/d?sslmode=require", `postgres://u:${encoded}@one,two:5433/d?sslmode=require`],
      ["postgres://h/d", `postgres://:${encoded}@h/d`],
      ["postgres:///d", "postgres:///d"],
      ["postgres://u:own@h/d", "postgres://u:own@h/d"]
    ] as const) {
      assert.strictEqual(addressIn({ DATABASE_URL: url, PGPASSWORD }), whole)
      assert.strictEqual(addressIn({ DATABASE_URL: url, PGPASSWORD: "" }), url)
    }
    const { databaseDirectUrl } = read({
      DATABASE_URL: "postgres://u@p/d",
      DATABASE_DIRECT_URL: "postgres://u@h/d",
      PGPASSWORD
    })
    assert.strictEqual(databaseDirectUrl && Redacted.value(databaseDirectUrl), `postgres://u:${encoded}@h/d`)
  })
})
