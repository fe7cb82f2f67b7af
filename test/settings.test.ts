import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { assert, describe, it } from "vitest"
import { Settings } from "#src/settings/Settings.ts"
import { readModules } from "./support/sources/modules.ts"

const KEY = Buffer.alloc(32, 7).toString("base64")

const read = (env: Record<string, string> = {}) =>
  Effect.runSync(
    Settings.pipe(
      Effect.provide(Settings.layer),
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))
    )
  )
const refusal = (env: Record<string, string>) => {
  try {
    read(env)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return "read"
}

const textsFile = (content: string | Buffer) => {
  const path = join(mkdtempSync(join(tmpdir(), "troupe-settings-")), "texts.json")
  writeFileSync(path, content)
  return path
}

describe("an invalid setting", () => {
  it.each([
    ["NODE_ENV", "staging"],
    ["HOST", " "],
    ["PORT", "http"],
    ["PORT", "70000"],
    ["PORT", "80.5"],
    ["PUBLIC_URL", "troupe.example"],
    ["PUBLIC_URL", "https://troupe.example/chat"],
    ["PUBLIC_URL", "https://troupe.example/chat/"],
    ["PUBLIC_URL", "https://troupe.example//chat"],
    ["PUBLIC_URL", "https://troupe.example/?"],
    ["PUBLIC_URL", "https://troupe.example/#console"],
    ["PUBLIC_URL", "https://ada:hush@troupe.example"],
    ["CORS_ORIGINS", "app.example.com"],
    ["CORS_ORIGINS", "https://app.example.com/"],
    ["CORS_ORIGINS", "https://app.example.com/chat"],
    ["CORS_ORIGINS", "https://App.example.com"],
    ["CORS_ORIGINS", "https://app.example.com:443"],
    ["CORS_ORIGINS", "https://*.example.com"],
    ["CORS_ORIGINS", "https://bücher.example"],
    ["CORS_ORIGINS", "https://ada:hush@app.example.com"],
    ["CORS_ORIGINS", "https://app.example.com https://other.example.com"],
    ["CORS_ORIGINS", "https://app.example.com, *"],
    ["CORS_ORIGINS", "null"],
    ["CORS_ORIGINS", "file://"],
    ["CELL", "EU-1"],
    ["CELL", "europe-west"],
    ["DATABASE_URL", "mysql://localhost/troupe"],
    ["DATABASE_DIRECT_URL", "mysql://localhost/troupe"],
    ["DATABASE_DIRECT_URL", "postgres://localhost/troupe"],
    ["DATA_DIR", " "],
    ["AUTO_MIGRATE", "later"],
    ["ROLES", ","],
    ["ROLES", "api,cook"],
    ["TRUST_PROXY", "10.0.0.1"],
    ["OPERATIONS_HOST", " "],
    ["OPERATIONS_PORT", "ops"],
    ["LOG_LEVEL", "loud"],
    ["LOG_FORMAT", "xml"],
    ["TURN_RETENTION_DAYS", "6"],
    ["TURN_RETENTION_DAYS", "-1"],
    ["EVAL_RETENTION_DAYS", "1.5"],
    ["BATCH_RETENTION_DAYS", "a month"],
    ["IMPORT_RETENTION_DAYS", "40000"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_SERVICE_NAME", " "],
    ["OTEL_RESOURCE_ATTRIBUTES", "a"],
    ["OTEL_TRACES_SAMPLER", "sometimes"],
    ["OTEL_TRACES_SAMPLER_ARG", "10%"],
    ["OTEL_BSP_SCHEDULE_DELAY", "0"],
    ["OTEL_METRIC_EXPORT_INTERVAL", "1 minute"],
    ["OTEL_CAPTURE_CONTENT", "some"],
    ["OPENAI_BASE_URL", "localhost:11434"],
    ["OPENAI_MODEL", " "],
    ["OPENAI_TIMEOUT_SECONDS", "soon"],
    ["OPENAI_ANALYZE", "maybe"],
    ["OPENAI_ANALYZE_TIMEOUT_SECONDS", "0"],
    ["OPENAI_JSON", "yes"],
    ["OPENAI_MAX_TOKENS", "1"],
    ["OPENAI_TEMPERATURE", "hot"],
    ["OPENAI_PRESENCE_PENALTY", "-3"],
    ["MODEL_PRICES", "{"],
    ["MODEL_PRICES", "[]"],
    ["MODEL_PRICES", '{"gpt-5": {}}'],
    ["MODEL_PRICES", '{"gpt-5": {"input": 1}}'],
    ["MODEL_PRICES", '{"gpt-5": {"input": -1, "output": 1}}'],
    ["MODEL_PRICES", '{"gpt-5": {"input": 1, "output": 1, "cache": 1}}'],
    ["MODEL_PRICES", '{"gpt-5": "cheap"}'],
    ["COPY_STALL_SECONDS", "0"],
    ["TURN_DEADLINE_FAST_SECONDS", "0"],
    ["TURN_DEADLINE_DEEP_SECONDS", "-1"],
    ["SECRETS_KEY", "password"],
    ["SECRETS_KEY", Buffer.alloc(16).toString("base64")],
    ["SECRETS_KEY", `${KEY.slice(0, -1)}!`],
    ["SECRETS_KEY_NEW", Buffer.alloc(33).toString("base64")],
    ["S3_ENDPOINT", "minio:9000"],
    ["OUTBOUND_ALLOW", "10.0.0.0/33"],
    ["OUTBOUND_ALLOW", "hooks.internal:0"],
    ["OUTBOUND_ALLOW", "https://hooks.internal"],
    ["OUTBOUND_ALLOW", "2130706433"],
    ["OUTBOUND_ALLOW", "good.example, *"],
    ["RESEARCH_HOSTS", "https://example.org"],
    ["RESEARCH_HOSTS", "example.org, *"],
    ["ADMIN_TOKEN", "two words"],
    ["TELEGRAM_API_ROOT", "api.telegram.org"],
    ["TELEGRAM_MANAGER_TOKEN", "my bot"],
    ["TELEGRAM_MODE", "push"],
    ["DEMO_SANDBOX", "yes"],
    ["DEMO_KEYS_PER_HOUR", "many"],
    ["OIDC_ISSUER", "accounts.example"],
    ["OIDC_ISSUER", "http://accounts.example"],
    ["OIDC_ISSUER", "http://localhost.example"]
  ])("is named in one line: %s=%s", (name, value) => {
    assert.match(refusal({ [name]: value }), new RegExp(`^${name}: [^\\n]+$`))
  })

  it("is an entry of OPERATORS that names nobody or no role, and its value is not repeated", () => {
    const oidc = { OIDC_ISSUER: "https://id.example", OIDC_CLIENT_ID: "troupe", OIDC_CLIENT_SECRET: "hush" }
    for (const entry of [
      "ada@example.com",
      "ada@example.com:root",
      "ada:owner",
      "=x:owner",
      "groups=:owner",
      "\u212ait@example.com:owner",
      `${"a".repeat(128)}@${"b".repeat(128)}:owner`,
      ":owner"
    ]) {
      const said = refusal({ ...oidc, OPERATORS: `bob@example.com:viewer, ${entry}` })
      assert.match(said, /^OPERATORS: entry 2 must be [^\n]+$/, entry)
      assert.notInclude(said, entry)
    }
    assert.match(refusal({ OPERATORS: "ada@example.com:owner" }), /^OPERATORS: requires OIDC_ISSUER/)
    assert.deepStrictEqual(
      read({ ...oidc, OPERATORS: " ada@example.com:owner ,, https://id.example/role=a:b:viewer" }).operators.map(
        ({ claim, value, role }) => [claim, value, role]
      ),
      [
        ["email", "ada@example.com", "owner"],
        ["https://id.example/role", "a:b", "viewer"]
      ]
    )
    assert.deepStrictEqual(read().operators, [])
  })

  it("is the missing one of a group", () => {
    const all = { OIDC_ISSUER: "https://id.example", OIDC_CLIENT_ID: "troupe", OIDC_CLIENT_SECRET: "hush" }
    assert.strictEqual(read(all).oidc?.clientId, "troupe")
    for (const missing of Object.keys(all))
      assert.match(refusal({ ...all, [missing]: "" }), new RegExp(`^${missing}: must be set too`))
    assert.isNull(read().oidc)
  })

  it("is not an issuer that only this machine reaches, even over http", () => {
    for (const OIDC_ISSUER of ["http://localhost:9000", "http://127.0.0.1:9000/realm", "http://[::1]:9000"])
      assert.strictEqual(
        read({ OIDC_ISSUER, OIDC_CLIENT_ID: "troupe", OIDC_CLIENT_SECRET: "hush" }).oidc?.url,
        OIDC_ISSUER
      )
  })

  it("is the missing one of the S3 settings, or a second storage", () => {
    const all = { S3_BUCKET: "pictures", S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "hush" }
    assert.deepInclude(read({ ...all, S3_ENDPOINT: "http://127.0.0.1:9000/" }).storage, {
      kind: "s3",
      endpoint: "http://127.0.0.1:9000",
      bucket: "pictures",
      region: "us-east-1"
    })
    for (const missing of Object.keys(all))
      assert.match(refusal({ ...all, [missing]: "" }), new RegExp(`^${missing}: must be set too`))
    assert.match(refusal({ S3_ENDPOINT: "http://127.0.0.1:9000" }), /^S3_BUCKET: must be set too/)
    assert.match(refusal({ ...all, S3_REGION: " " }), /^S3_REGION: /)
    assert.match(refusal({ ...all, STORAGE_DIR: "pictures" }), /^STORAGE_DIR: cannot be set together/)
    assert.deepStrictEqual(
      [read().storage, read({ STORAGE_DIR: "pictures" }).storage],
      [{ kind: "database" }, { kind: "folder", folder: "pictures" }]
    )
  })

  it("is a guessable operator token, in production", () => {
    assert.match(refusal({ NODE_ENV: "production", ADMIN_TOKEN: "letmein" }), /^ADMIN_TOKEN: /)
    assert.isNotNull(read({ ADMIN_TOKEN: "letmein" }).adminToken)
  })

  it("is never quoted if it may be a secret", () => {
    for (const name of [
      "SECRETS_KEY",
      "SECRETS_KEY_NEW",
      "ADMIN_TOKEN",
      "TELEGRAM_MANAGER_TOKEN",
      "DATABASE_URL",
      "DATABASE_DIRECT_URL"
    ]) {
      assert.notInclude(refusal({ [name]: "hu sh" }), "hu sh")
    }
  })
})

describe("settings", () => {
  it("have defaults that differ in production only where a stranger could get in", () => {
    const [here, there] = [read(), read({ NODE_ENV: "production" })]
    assert.deepStrictEqual(here.demo, { sandbox: true, keysPerHour: 5 })
    assert.deepStrictEqual(there.demo, { sandbox: false, keysPerHour: 5 })
    assert.deepStrictEqual(here.telegram, { apiRoot: "https://api.telegram.org", managerToken: null, mode: "webhook" })
    assert.deepStrictEqual(here.outboundAllow, [])
  })

  it("include the number of proxies in front", () => {
    for (const [text, proxies] of [
      ["", 0],
      ["false", 0],
      ["0", 0],
      ["true", 1],
      ["1", 1],
      ["3", 3]
    ] as const)
      assert.strictEqual(read({ TRUST_PROXY: text }).trustedProxies, proxies, text)
    for (const text of ["-1", "10", "yes"]) assert.match(refusal({ TRUST_PROXY: text }), /^TRUST_PROXY: /)
  })

  it("include the origins of pages, as browsers write them", () => {
    for (const [text, origins] of [
      ["", []],
      [" , ", []],
      ["*", ["*"]],
      ["https://app.example.com, http://localhost:5173 ,", ["https://app.example.com", "http://localhost:5173"]],
      ["https://xn--bcher-kva.example:8443", ["https://xn--bcher-kva.example:8443"]],
      ["http://127.0.0.1:3000,http://[::1]:3000", ["http://127.0.0.1:3000", "http://[::1]:3000"]],
      ["capacitor://localhost,chrome-extension://abcdefgh", ["capacitor://localhost", "chrome-extension://abcdefgh"]]
    ] as const)
      assert.deepStrictEqual(read({ CORS_ORIGINS: text }).corsOrigins, [...origins], text)
    assert.match(refusal({ CORS_ORIGINS: "https://app.example.com,hu/sh" }), /^CORS_ORIGINS: entry 2 must be an origin/)
    assert.notInclude(refusal({ CORS_ORIGINS: "https://app.example.com,hu/sh" }), "hu/sh")
  })

  it("use the reply model for the analysis unless another is named", () => {
    assert.strictEqual(read({ OPENAI_API_KEY: "sk", OPENAI_MODEL: "big" }).model?.analyzeModel, "big")
    assert.strictEqual(
      read({ OPENAI_API_KEY: "sk", OPENAI_MODEL: "big", OPENAI_ANALYZE_MODEL: "small" }).model?.analyzeModel,
      "small"
    )
    assert.isNull(read({ OPENAI_API_KEY: "sk" }).model?.transcribeModel)
    assert.strictEqual(
      read({ OPENAI_API_KEY: "sk", OPENAI_TRANSCRIBE_MODEL: "whisper-1" }).model?.transcribeModel,
      "whisper-1"
    )
    assert.isNull(read({ OPENAI_API_KEY: "sk" }).model?.embedModel)
    assert.strictEqual(
      read({ OPENAI_API_KEY: "sk", OPENAI_EMBED_MODEL: "text-embedding-3-small" }).model?.embedModel,
      "text-embedding-3-small"
    )
  })

  it("include prices of models, and limits on answers by the kind of model", () => {
    const prices = {
      "llama3.1": { input: 0.1, cached_input: 0.05, output: 0.4 },
      "my-painter": { image: 0.02 },
      "gpt-5": "list"
    } as const
    assert.deepStrictEqual(read({ MODEL_PRICES: JSON.stringify(prices) }).modelPrices, prices)
    assert.deepStrictEqual(read({ MODEL_PRICES: " " }).modelPrices, {})
    assert.strictEqual(read({ OPENAI_API_KEY: "sk" }).model?.maxTokens, 4_000)
    assert.strictEqual(read({ OPENAI_API_KEY: "sk", OPENAI_MODEL: "llama3.1" }).model?.maxTokens, 1_000)
  })

  it("include the operator's safety texts from a file", () => {
    assert.deepStrictEqual(read().safetyTexts, new Map())
    assert.deepStrictEqual(
      read({ SAFETY_TEXTS: textsFile('{"de-AT":{"crisis":["Ruf 142 an."]}}') }).safetyTexts,
      new Map([["de-AT", { crisis: ["Ruf 142 an."] }]])
    )
    assert.deepStrictEqual(
      read({ SAFETY_TEXTS: textsFile('{"de":{"break_reminder":["Zeit aufzustehen."]}}') }).safetyTexts,
      new Map([["de", { break_reminder: ["Zeit aufzustehen."] }]])
    )
    for (const path of [
      "/no/such/file",
      textsFile("{"),
      textsFile('{"de":{"crisis":[]}}'),
      textsFile('{"de":{"crisis":"x"}}'),
      textsFile('{"de":{"crises":["x"]}}'),
      textsFile('{"not a tag":{"crisis":["x"]}}')
    ]) {
      assert.throws(() => read({ SAFETY_TEXTS: path }), /SAFETY_TEXTS: must be/)
    }
  })

  it("include the operator's own service texts from a file", () => {
    const { ownTexts } = read({
      SERVICE_TEXTS: textsFile('\uFEFF{"pt_br":{"help":" Escreva. "},"fil":{"fallback_lines":["Hm."]},"en":{}}')
    })
    assert.deepStrictEqual(read().ownTexts, new Map())
    assert.deepStrictEqual(
      ownTexts,
      new Map([
        ["pt-BR", { help: "Escreva." }],
        ["fil", { fallback_lines: ["Hm."] }],
        ["en", {}]
      ])
    )
    assert.deepStrictEqual(
      read({
        SERVICE_TEXTS: textsFile(JSON.stringify({ en: { help: "x".repeat(4096), command_help: "y".repeat(256) } }))
      }).ownTexts.get("en")?.command_help,
      "y".repeat(256)
    )
  })

  it.each([
    ["[]", /must be JSON such as/],
    ["null", /must be JSON such as/],
    ["{", /must be JSON in UTF-8/],
    ["[".repeat(200_000), /must be JSON in UTF-8/],
    [Buffer.from([0x7b, 0xff, 0x7d]), /must be JSON in UTF-8/],
    [`{"en":{"help":"${"x".repeat(1_000_000)}"}}`, /at most 1000000 bytes/],
    ['{"not a tag":{}}', /"not a tag" is not a language tag/],
    ['{"__proto__":{}}', /"__proto__" is not a language tag/],
    ['{"english":{}}', /"english" is not a language tag/],
    ['{"":{}}', /is not a language tag/],
    ['{"pt-BR":{},"pt_br":{}}', /has the language pt-BR twice/],
    ['{"pt":"Olá"}', /pt must be an object of texts/],
    ['{"pt":["Olá"]}', /pt must be an object of texts/],
    ['{"pt":{"helpp":"Olá"}}', /pt has the unknown key "helpp".*greeting, .*command_help/],
    ['{"pt":{"__proto__":"Olá"}}', /pt has the unknown key "__proto__"/],
    ['{"pt":{"constructor":"Olá"}}', /pt has the unknown key "constructor"/],
    ['{"pt":{"help":7}}', /pt\.help is not a string/],
    ['{"pt":{"help":null}}', /pt\.help is not a string/],
    ['{"pt":{"help":["Olá"]}}', /pt\.help is not a string/],
    ['{"pt":{"help":""}}', /pt\.help is empty/],
    ['{"pt":{"help":" \\n\u200b "}}', /pt\.help is empty/],
    ['{"pt":{"help":"a\\u0000b"}}', /pt\.help has characters that are no text/],
    ['{"pt":{"help":"a\\ud800b"}}', /pt\.help has characters that are no text/],
    ['{"pt":{"help":"Olá, {name}"}}', /pt\.help has the unknown placeholder "\{name\}"\. It can have none/],
    [
      '{"pt":{"greeting":"Olá, {{char}}"}}',
      /pt\.greeting has the unknown placeholder "\{char\}"\. It can have \{name\}/
    ],
    ['{"pt":{"greeting":"Olá, { name }"}}', /pt\.greeting has the unknown placeholder/],
    [JSON.stringify({ pt: { help: "x".repeat(4097) } }), /pt\.help is too long for Telegram, which allows 4096/],
    [JSON.stringify({ pt: { command_stop: "x".repeat(257) } }), /pt\.command_stop is too long.* 256/],
    [JSON.stringify({ pt: { manager_button: "x".repeat(65) } }), /pt\.manager_button is too long.* 64/],
    ['{"pt":{"command_stop":"a\\nb"}}', /pt\.command_stop must be one line/],
    ['{"pt":{"unheard":"Olá"}}', /pt\.unheard must be a list of 1 to 20 strings/],
    ['{"pt":{"unheard":[]}}', /pt\.unheard must be a list/],
    ['{"pt":{"unheard":["Olá",7]}}', /pt\.unheard is not a string/]
  ] as const)("refuse a file of service texts with what is wrong with it: %#", (content, problem) => {
    const said = refusal({ SERVICE_TEXTS: textsFile(content) })
    assert.match(said, problem)
    assert.match(said, /^SERVICE_TEXTS: /)
    assert.isBelow(said.length, 1000)
  })

  it("refuse service texts that are no file", () => {
    for (const path of ["/no/such/file", tmpdir(), "/dev/null"])
      assert.strictEqual(refusal({ SERVICE_TEXTS: path }), "SERVICE_TEXTS: must be the path of a file")
    assert.deepStrictEqual(read({ SERVICE_TEXTS: " " }).ownTexts, new Map())
  })

  it("include the server behind a pooler, of which there may be several as well", () => {
    const pooled = { DATABASE_URL: "postgres://pooler:6432/troupe" }
    const direct = "postgres://one:5432,two:5432/troupe"
    const { databaseDirectUrl } = read({ ...pooled, DATABASE_DIRECT_URL: direct })
    assert.strictEqual(databaseDirectUrl === null ? null : Redacted.value(databaseDirectUrl), direct)
    assert.isNull(read({ ...pooled, DATABASE_DIRECT_URL: "" }).databaseDirectUrl)
    assert.match(refusal({ DATABASE_DIRECT_URL: direct }), /^DATABASE_DIRECT_URL: needs DATABASE_URL/)
  })

  it("treat an empty optional value as not given", () => {
    const settings = read({
      SECRETS_KEY: "",
      ADMIN_TOKEN: "",
      DATABASE_URL: "",
      PUBLIC_URL: "",
      DEMO_SANDBOX: "",
      OUTBOUND_ALLOW: " , "
    })
    assert.isNull(settings.secrets.key)
    assert.isNull(settings.adminToken)
    assert.isTrue(settings.demo.sandbox)
    assert.deepStrictEqual(settings.outboundAllow, [])
  })

  it("reveal no secret, however they are printed", () => {
    const secrets = {
      SECRETS_KEY: KEY,
      ADMIN_TOKEN: "hush-admin",
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=hush",
      TELEGRAM_MANAGER_TOKEN: "12345:hush_hush_hush_hush_hush",
      OPENAI_API_KEY: "hush-model",
      DATABASE_URL: "postgres://u:hush@h/d",
      DATABASE_DIRECT_URL: "postgres://u@i/d",
      PGPASSWORD: "hush"
    }
    const settings = read({
      ...secrets,
      OIDC_ISSUER: "https://id.example",
      OIDC_CLIENT_ID: "troupe",
      OIDC_CLIENT_SECRET: "hush",
      S3_BUCKET: "b",
      S3_ACCESS_KEY_ID: "id",
      S3_SECRET_ACCESS_KEY: "hush"
    })
    const key = settings.secrets.key
    assert.deepStrictEqual(key === null ? null : Redacted.value(key), Buffer.alloc(32, 7))
    const printed = `${JSON.stringify(settings)}${inspect(settings, { depth: 9, showHidden: true })}${String(key)}`
    for (const part of ["hush", KEY, "7,7,7", "07 07 07"]) assert.notInclude(printed, part)
  })
})

describe("the settings that an operator sees", () => {
  it("show no value that is read as a secret", () => {
    const names = readModules(["src/settings"]).flatMap(({ text }) =>
      [...text.matchAll(/Config\.Redacted\("(\w+)"\)/g)].map(([, name = ""]) => name)
    )
    assert.isAbove(names.length, 5)
    const secret = "a".repeat(20)
    const { effective } = read({ OPENAI_API_KEY: secret, OPENAI_BASE_URL: `https://user:${secret}@model.example/v1` })
    for (const name of names) {
      const found = effective.find((setting) => setting.name === name)
      assert.deepInclude(found, { isSecret: true, value: null }, name)
    }
    assert.notInclude(JSON.stringify(effective), secret)
    const twice = read({ OPENAI_API_KEY: secret, OPENAI_BASE_URL: "https://user:hush@hush@model.example/v1" }).effective
    assert.notInclude(JSON.stringify(twice), "hush")
  })
})
