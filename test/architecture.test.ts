import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, resolve } from "node:path"
import { assert, describe, it } from "vitest"
import { type Module, readModule, readModules } from "./support/modules.ts"
import { timingFaults } from "./support/timingFaults.ts"

/** From the lowest floor up. A module imports from its own rank and from those below. */
const RANKS: ReadonlyArray<ReadonlyArray<string>> = [
  ["package.json", "pipeline/domain/"],
  ["pipeline/"],
  ["channels/"],
  ["src/units/", "src/health/"],
  ["src/imports/", "src/pictures/"],
  ["src/db/", "src/model/", "src/accounts/", "src/storage/"],
  ["src/jobs/"],
  ["src/http/"],
  ["src/"]
]

/** An object that is declared to be one, or that names a stage as a record does. */
const MAKES_STAGE_RECORD = /:\s*StageRecord\s*=\s*\{|\b(?:as|satisfies) StageRecord\b|\bstage:\s*"/

/** What the two lowest floors above the database must not import, with the only exceptions. */
const HOMES: Readonly<Record<string, ReadonlyArray<string>>> = {
  zod: ["src/http/"],
  "fastify-type-provider-zod": ["src/http/"],
  fastify: ["src/http/"],
  postgres: ["src/db/"],
  pg: ["src/db/"],
  "@fastify/cookie": ["src/http/"],
  "openid-client": ["src/accounts/"],
  "oidc-provider": ["src/accounts/"],
  grammy: ["channels/telegram/"],
  openai: ["src/model/"],
  qr: ["src/http/"],
  "d3-scale": ["src/http/console/"],
  "d3-shape": ["src/http/console/"],
  "@aws-sdk/client-s3": ["src/storage/"],
  undici: ["channels/outbound/"],
  htmlparser2: ["channels/outbound/"],
  "ipaddr.js": ["channels/outbound/"],
  "eventsource-parser": ["src/commands/"],
  yauzl: ["src/imports/", "src/db/operators/backup/"],
  yazl: ["src/imports/", "src/jobs/privacy/", "src/db/operators/backup/"],
  "graphile-worker": ["src/jobs/", "src/db/postgres/migrate.ts"]
}
/** The domains of a layer of `src`, from the lowest up. A module imports from its own domain and from earlier ones. */
const DOMAINS: Readonly<Record<string, ReadonlyArray<string>>> = {
  db: [
    "postgres",
    "crashes",
    "tenancy",
    "world",
    "billing",
    "delivery",
    "character",
    "conversation",
    "memory",
    "proactive",
    "research",
    "privacy",
    "evals",
    "telegram",
    "operators",
    "catalogue"
  ],
  jobs: [
    "runner",
    "tenancy",
    "billing",
    "delivery",
    "telegram",
    "character",
    "conversation",
    "memory",
    "proactive",
    "research",
    "privacy",
    "evals",
    "operators"
  ],
  http: [
    "server",
    "tenancy",
    "privacy",
    "billing",
    "character",
    "conversation",
    "world",
    "memory",
    "proactive",
    "research",
    "delivery",
    "evals",
    "telegram",
    "operators",
    "imports",
    "console"
  ]
}
const SAYS_NOTHING = /^(?:utils?|commons?|misc|helpers?|index)\.ts$/
const MAX_LINES = 300
/** Imports of one file of the composition root. */
const MAX_COMPOSED = 30

const rankOf = (path: string): number => RANKS.findIndex((folders) => folders.some((folder) => path.startsWith(folder)))

const upward = (modules: ReadonlyArray<Module>): ReadonlyArray<string> =>
  modules.flatMap(({ path, imports }) =>
    imports
      .filter(({ target, isOurs }) => isOurs && (rankOf(target) === -1 || rankOf(target) > rankOf(path)))
      .map(({ target }) => `${path} -> ${target}`)
  )

/** The position of a path's domain in its layer. -1 if the domain is not listed. */
const domainOf = (layer: string, path: string): number =>
  (DOMAINS[layer] ?? []).findIndex((domain) => path.startsWith(`src/${layer}/${domain}/`))

/** Imports within a layer from a later domain, or from one without a position. */
const outOfOrder = (modules: ReadonlyArray<Module>): ReadonlyArray<string> =>
  Object.keys(DOMAINS).flatMap((layer) =>
    modules
      .filter(({ path }) => path.startsWith(`src/${layer}/`))
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ target, isOurs }) => isOurs && target.startsWith(`src/${layer}/`))
          .filter(({ target }) => domainOf(layer, target) === -1 || domainOf(layer, target) > domainOf(layer, path))
          .map(({ target }) => `${path} -> ${target}`)
      )
  )

const astray = (modules: ReadonlyArray<Module>): ReadonlyArray<string> =>
  modules.flatMap(({ path, imports }) =>
    imports
      .filter(({ target, isOurs }) => !isOurs && HOMES[target]?.some((home) => path.startsWith(home)) === false)
      .map(({ target }) => `${path} -> ${target}`)
  )

/** Each cycle of value imports once, as the path that leads around it. */
const cycles = (modules: ReadonlyArray<Module>): ReadonlyArray<string> => {
  const next = new Map(
    modules.map(({ path, imports }) => [
      path,
      imports.filter(({ isOurs, isType }) => isOurs && !isType).map(({ target }) => target)
    ])
  )
  const done = new Set<string>()
  const found: Array<string> = []
  const visit = (path: string, trail: ReadonlyArray<string>): void => {
    const start = trail.indexOf(path)
    if (start !== -1) found.push([...trail.slice(start), path].join(" -> "))
    else if (!done.has(path)) {
      for (const target of next.get(path) ?? []) visit(target, [...trail, path])
      done.add(path)
    }
  }
  for (const path of next.keys()) visit(path, [])
  return found
}

const barrels = (modules: ReadonlyArray<Module>): ReadonlyArray<string> =>
  modules.filter(({ text }) => /^\s*export\s*(?:type\s*)?\*/m.test(text)).map(({ path }) => path)

const modules = readModules(["pipeline", "channels", "src"])

describe("the source tree", () => {
  it("has modules, each on one floor", () => {
    assert.isAbove(modules.length, 50)
    assert.deepStrictEqual(
      modules.filter(({ path }) => rankOf(path) === -1),
      []
    )
  })

  it("imports only from lower floors, or from the same one", () => {
    assert.deepStrictEqual(upward(modules), [])
  })

  it("assigns every module of an ordered layer to a listed domain", () => {
    assert.deepStrictEqual(
      Object.keys(DOMAINS).flatMap((layer) =>
        modules
          .filter(({ path }) => path.startsWith(`src/${layer}/`) && domainOf(layer, path) === -1)
          .map(({ path }) => path)
      ),
      []
    )
  })

  it("imports within a layer only from the same domain or from earlier ones", () => {
    assert.deepStrictEqual(outOfOrder(modules), [])
  })

  it("has no import cycles", () => {
    assert.deepStrictEqual(cycles(modules), [])
  })

  it("uses each external library in one folder only", () => {
    assert.deepStrictEqual(astray(modules), [])
  })

  it("counts rolling limits over HTTP only as their routes declare them", () => {
    const counting = modules
      .filter(({ path }) => path.startsWith("src/http/"))
      .filter(({ imports }) => imports.some(({ target, isType }) => target.endsWith("/RollingLimits.ts") && !isType))
      .map(({ path }) => path)
    assert.deepStrictEqual(counting, ["src/http/server/limits/takeWindows.ts"])
  })

  it("makes outbound calls without the guard only from the command line", () => {
    const users = modules
      .filter(({ imports }) => imports.some(({ target }) => target === "channels/outbound/unguarded.ts"))
      .map(({ path }) => path)
    assert.deepStrictEqual(users, ["src/commands/webhooks.ts"])
  })

  it("loads the sign-in code only when somebody signs in, to keep every start fast", () => {
    const early = modules
      .filter(({ text }) => /^import (?!type\b).*"(?:openid-client|oidc-provider)"/m.test(text))
      .map(({ path }) => path)
    assert.deepStrictEqual(early, [])
  })

  it("imports only files that exist", () => {
    const missing = modules.flatMap(({ path, imports }) =>
      imports
        .filter(({ target, isOurs }) => isOurs && !existsSync(resolve(import.meta.dirname, "..", target)))
        .map(({ target }) => `${path} -> ${target}`)
    )
    assert.deepStrictEqual(missing, [])
  })

  it("composes a process of files with few imports each", () => {
    const wide = modules
      .filter(({ path, imports }) => path.startsWith("src/composition/") && imports.length > MAX_COMPOSED)
      .map(({ path }) => path)
    assert.deepStrictEqual(wide, [])
  })

  it("keeps the job runner independent of what the jobs do", () => {
    const known = modules
      .filter(({ path }) => path.startsWith("src/jobs/runner/"))
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ target }) => target.startsWith("src/jobs/") && !target.startsWith("src/jobs/runner/"))
          .map(({ target }) => `${path} -> ${target}`)
      )
    assert.deepStrictEqual(known, [])
  })

  it("makes the record of a stage only in TurnTrace, so that one place sees every stage", () => {
    const makers = modules.filter(({ text }) => MAKES_STAGE_RECORD.test(text)).map(({ path }) => path)
    assert.deepStrictEqual(
      makers.filter((path) => path !== "pipeline/TurnTrace.ts"),
      []
    )
  })

  it("names every file after its contents", () => {
    assert.deepStrictEqual(
      modules.filter(({ path }) => SAYS_NOTHING.test(basename(path))).map(({ path }) => path),
      []
    )
  })

  it("has no barrels", () => {
    assert.deepStrictEqual(barrels(modules), [])
  })

  it("has no overlong files", () => {
    const long = modules.filter(({ text }) => text.split("\n").length > MAX_LINES).map(({ path }) => path)
    assert.deepStrictEqual(long, [])
  })
})

describe("the tests", () => {
  it("do not depend on how fast the machine is", () => {
    const files = globSync("test/**/*.test.ts", { cwd: resolve(import.meta.dirname, "..") })
    assert.isAbove(files.length, 100)
    assert.deepStrictEqual(
      files.flatMap((path) => timingFaults(path, readFileSync(resolve(import.meta.dirname, "..", path), "utf8"))),
      []
    )
  })
})

describe("the rule about time in tests", () => {
  const faultsOf = (source: string) => timingFaults("a.test.ts", source)

  it("finds a time limit of a test, a hook or a group", () => {
    for (const source of [
      `it("works", async () => {}, 60_000)`,
      `it("works", { timeout: 60_000 }, async () => {})`,
      `it.skipIf(isRoot)("works", () => {}, 5)`,
      `it.each([1])("works", () => {}, 5)`,
      `describe("it", { timeout: 1, concurrent: true }, () => {})`,
      `beforeAll(async () => {}, 1000)`
    ])
      assert.lengthOf(faultsOf(source), 1, source)
    assert.deepStrictEqual(faultsOf(`it.each([1, 2])("works with %d", (n: number) => assert.isBelow(n, 3))`), [])
  })

  it("finds an upper bound on elapsed time, by any way from the clock", () => {
    for (const source of [
      `assert.isBelow(performance.now() - from, 1000)`,
      `const tookMs = performance.now() - from\nassert.isAtMost(tookMs, 10)`,
      `const before = Date.now()\nconst took = later - before\nexpect(took).toBeLessThan(5)`,
      `assert.approximately(Date.parse(data.at), Date.now(), 60_000)`
    ])
      assert.lengthOf(faultsOf(source), 1, source)
    assert.deepStrictEqual(faultsOf(`assert.isAtLeast(performance.now() - from, 290)`), [])
    assert.deepStrictEqual(faultsOf(`assert.isBelow(effortMs, 50)`), [])
  })

  it("finds a pause, and a wait that is not until()", () => {
    assert.lengthOf(faultsOf(`await new Promise((resolve) => setTimeout(resolve, 5))`), 1)
    assert.lengthOf(faultsOf(`import { setTimeout as pause } from "node:timers/promises"`), 1)
    assert.lengthOf(faultsOf(`await vi.waitUntil(() => seen, { timeout: 10 })`), 1)
  })
})

describe("the architecture rules", () => {
  it("detect an import from a higher floor, including dynamic imports and type imports", () => {
    assert.lengthOf(
      upward([readModule("pipeline/domain/Event.ts", `import {\n  type Lane,\n  lanes\n} from "#channels/lanes.ts"`)]),
      1
    )
    assert.lengthOf(
      upward([
        readModule("src/db/conversation/Turns.ts", `const http = await import("../../http/server/HttpServer.ts")`)
      ]),
      1
    )
    assert.lengthOf(
      upward([readModule("channels/Courier.ts", `import type { Turns } from "#src/db/conversation/Turns.ts"`)]),
      1
    )
    assert.lengthOf(
      upward([
        readModule("src/http/server/Server.ts", `import type { TestServer } from "#test/support/TestServer.ts"`)
      ]),
      1
    )
    assert.deepStrictEqual(
      upward([readModule("src/db/tenancy/Apps.ts", `import { mintApiKey } from "#src/accounts/apiKey.ts"`)]),
      []
    )
  })

  it("detect an import from a later domain of the same layer, including type imports", () => {
    const from = (path: string, target: string) => outOfOrder([readModule(path, `import type { A } from "${target}"`)])
    assert.lengthOf(from("src/db/character/Images.ts", "#src/db/conversation/Turns.ts"), 1)
    assert.lengthOf(from("src/db/postgres/retry.ts", "../tenancy/Apps.ts"), 1)
    assert.lengthOf(from("src/db/telegram/BotRows.ts", "#src/db/unlisted/Rows.ts"), 1)
    assert.deepStrictEqual(from("src/db/conversation/Turns.ts", "#src/db/character/Images.ts"), [])
    assert.deepStrictEqual(from("src/db/conversation/Turns.ts", "./turnJobs.ts"), [])
    assert.lengthOf(from("src/jobs/runner/Runner.ts", "#src/jobs/telegram/UpdateWorker.ts"), 1)
    assert.lengthOf(from("src/http/server/body/ParseWorkers.ts", "#src/http/imports/importErrors.ts"), 1)
    assert.lengthOf(from("src/http/conversation/sessionRoutes.ts", "#src/http/memory/memoryErrors.ts"), 1)
    assert.deepStrictEqual(from("src/jobs/character/ImageWorker.ts", "#src/db/telegram/BotRows.ts"), [])
    assert.deepStrictEqual(from("src/http/memory/memoryRoutes.ts", "#src/http/conversation/findSession.ts"), [])
  })

  it("detect a cycle, but allow a type to point back", () => {
    const circle = (back: string) => [
      readModule("src/db/A.ts", `import { b } from "./B.ts"`),
      readModule("src/db/B.ts", `${back} from "./A.ts"`)
    ]
    assert.deepStrictEqual(cycles(circle("import { a }")), ["src/db/A.ts -> src/db/B.ts -> src/db/A.ts"])
    assert.lengthOf(cycles(circle("export { a }")), 1)
    assert.deepStrictEqual(cycles(circle("import type { A }")), [])
    assert.deepStrictEqual(cycles(circle("import { type A, type C }")), [])
  })

  it("detect a library outside its folder", () => {
    for (const line of [
      `import * as z from "zod"`,
      `import postgres from "postgres"`,
      `import "fastify"`,
      `import { Api } from "grammy/web"`,
      `const { default: OpenAI } = await import("openai")`
    ]) {
      assert.lengthOf(astray([readModule("src/jobs/runner/Runner.ts", line)]), 1, line)
    }
    assert.deepStrictEqual(astray([readModule("src/http/tenancy/appRoutes.ts", `import * as z from "zod"`)]), [])
  })

  it("detect a barrel", () => {
    assert.lengthOf(barrels([readModule("src/db/all.ts", `export * from "./Turns.ts"`)]), 1)
    assert.lengthOf(barrels([readModule("src/db/all.ts", `export type * as T from "./Turns.ts"`)]), 1)
  })
})
