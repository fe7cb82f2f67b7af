import { createServer, type IncomingHttpHeaders, request as httpRequest, type ServerResponse } from "node:http"
import { Webhook } from "standardwebhooks"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { demoCharacters } from "#src/demo/characters.ts"
import { type FakeModel, start as startModel } from "#test/support/model/FakeModel.ts"
import { freePort } from "#test/support/freePort.ts"
import { type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { type RunningCommand, runTroupe, startCommand } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  for (const character of demoCharacters) await app.post("/v1/characters", character)
})
afterAll(() => server.close())

const running: Array<RunningCommand> = []
const receivers: Array<Receiver> = []
afterEach(async () => {
  for (const { child } of running) child.kill("SIGKILL")
  await Promise.all([
    ...running.splice(0).map(({ exit }) => exit),
    ...receivers.splice(0).map((receiver) => receiver.close())
  ])
})

const env = (of: TestApp = app) => ({ TROUPE_URL: of.baseUrl, TROUPE_KEY: of.key })
const troupe = (args: ReadonlyArray<string>, input?: string, environment: Record<string, string> = env()) =>
  runTroupe(environment, args, input)
const start = (args: ReadonlyArray<string>, environment: Record<string, string> = env()) => {
  const command = startCommand(environment, args)
  running.push(command)
  return command
}
const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "")
const eventsOf = (text: string): ReadonlyArray<any> =>
  linesOf(text.slice(0, text.lastIndexOf("\n") + 1)).map((line) => JSON.parse(line))
const interrupt = ({ child, exit }: RunningCommand) => {
  child.kill("SIGINT")
  return exit
}

describe("a command that connects to a server", () => {
  it.each([
    ["a key that is not valid", ["events", "tail", "ses_x", "--key", "ck_wrong"], /^troupe: 403 [^\n]+\n$/],
    ["no key", ["events", "tail", "ses_x", "--key", ""], /^troupe: --key: [^\n]+\n$/],
    ["a missing session", ["events", "tail", "ses_x"], /^troupe: 404 session_not_found: [^\n]+\n$/],
    ["an invalid cursor", ["events", "tail", "ses_x", "--since", "now"], /^troupe: --since: [^\n]+\n$/],
    ["an invalid address", ["events", "tail", "ses_x", "--url", "localhost"], /^troupe: --url: [^\n]+\n$/],
    ["an unknown flag", ["chat", "edda-brandvik", "--fast"], /^troupe: --fast: [^\n]+\n$/],
    [
      "a misspelt flag",
      ["chat", "edda-brandvik", "--sesion", "x"],
      /^troupe: --sesion[^\n]* did you mean --session\? [^\n]+\n$/
    ],
    [
      "a misspelt command",
      ["evnets", "tail", "ses_x"],
      /^troupe: evnets: unknown command; did you mean events\? [^\n]+\n$/
    ],
    [
      "a misspelt second command",
      ["events", "tial", "ses_x"],
      /^troupe: tial: unknown command; did you mean tail\? [^\n]+\n$/
    ],
    ["an unknown command", ["nonsense"], /^troupe: nonsense: unknown command; see --help\n$/],
    ["a missing character", ["chat", "nobody"], /^troupe: 404 character_not_found: [^\n]+\n$/],
    ["an invalid mode", ["chat", "edda-brandvik", "--mode", "slow"], /^troupe: --mode: [^\n]+\n$/],
    [
      "an invalid address to post to",
      ["webhooks", "listen", "--session", "ses_x", "--forward", "ftp://localhost"],
      /^troupe: --forward [^\n]+\n$/
    ]
  ])("ends with one line and exit code 1 when given %s", async (_, args, line) => {
    const { code, stdout, stderr } = await troupe(args)
    assert.strictEqual(stdout, "")
    assert.match(stderr, line)
    assert.strictEqual(code, 1)
  })

  it("reports an unreachable server in one line, and never shows the key", async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const { code, stderr } = await troupe(["chat", "edda-brandvik", "--url", url])
    assert.strictEqual(stderr, `troupe: ${url} cannot be reached (ECONNREFUSED)\n`)
    assert.strictEqual(code, 1)
  })
})

describe("events tail", () => {
  it("shows existing and new events of the log, one per line, until Ctrl-C", async () => {
    const session = await app.createSession({ character_slug: "edda-brandvik" })
    const tail = start(["events", "tail", session])
    await until("the greeting", () => tail.stdout().includes("#1 character.initiated character: "))
    await app.send(session, "one\ntwo \u001b[31mred\u202e")
    await until("the reply", () => tail.stdout().includes("#4 message.created character: "))
    assert.strictEqual(await interrupt(tail), 0)
    const lines = linesOf(tail.stdout())
    assert.lengthOf(lines, 4)
    assert.match(lines[1] ?? "", /^\d{4}-\d\d-\d\dT[\d:.]+Z #2 message\.created user: one two \uFFFD\[31mred\uFFFD$/)
    assert.strictEqual(tail.stderr(), "")
  })

  it("prints the events as they are on the log with --json, and only later ones with --since", async () => {
    const session = await app.createSession({ character_slug: "edda-brandvik" })
    await app.converse(session, "Hello")
    const tail = start(["events", "tail", session, "--since", "1", "--json"])
    await until("the log", () => eventsOf(tail.stdout()).length === 3)
    assert.deepStrictEqual(eventsOf(tail.stdout()), (await app.events(session, 1)) as Array<unknown>)
  })

  it("continues from its last cursor if the server restarts, without losses or repeats", async () => {
    const database = await createTestDatabase()
    const port = String(await freePort())
    const first = await startTestServer({ database, env: { PORT: port } })
    const own = await first.createApp()
    const session = await own.createSession()
    await own.converse(session, "Hello")
    const tail = start(["events", "tail", session, "--json"], env(own))
    await until("the log so far", () => eventsOf(tail.stdout()).length === 3)
    await first.close()
    await until("the end to be noticed", () => tail.stderr().includes("retrying from cursor 3"))
    const second = await startTestServer({ database, env: { PORT: port } })
    await own.converse(session, "Are you back?")
    await until("the rest", () => eventsOf(tail.stdout()).length >= 6)
    assert.deepStrictEqual(eventsOf(tail.stdout()), (await own.events(session)) as Array<unknown>)
    assert.strictEqual(linesOf(tail.stderr()).length, 1)
    assert.strictEqual(await interrupt(tail), 0)
    await second.close()
    await database.drop()
  })
})

/** As if all but the last events of a session had passed their retention time. */
const forget = async (session: string, upTo: number) => {
  await server.database.sql`update session_logs set kept_after = ${upTo} where session_id = ${session}`
  await server.database.sql`delete from events where session_id = ${session} and cursor <= ${upTo}`
}

describe("a log whose start is no longer kept", () => {
  it("is followed from the earliest kept event, unless --since is given", async () => {
    const session = await app.createSession()
    await app.converse(session, "Hello")
    await forget(session, 2)
    const tail = start(["events", "tail", session, "--json"])
    await until("the rest of the log", () => eventsOf(tail.stdout()).length === 1)
    assert.deepStrictEqual(eventsOf(tail.stdout()), (await app.events(session, 2)) as Array<unknown>)
    const asked = await troupe(["events", "tail", session, "--since", "1"])
    assert.match(asked.stderr, /^troupe: 410 cursor_expired: [^\n]+since=2[^\n]+\n$/)
    assert.strictEqual(asked.code, 1)
  })

  it.each([
    ["a part of it", 2],
    ["nothing", 3]
  ])("is continued if %s is omitted", async (_, upTo) => {
    const session = await app.createSession({ character_slug: await app.createCharacter() })
    await app.converse(session, "Hello")
    await forget(session, upTo)
    const slug = (await app.get(`/v1/sessions/${session}`)).body.data.character_slug
    const silent = await troupe(["chat", slug, "--session", session])
    assert.strictEqual(silent.code, 0, silent.stderr)
    assert.lengthOf(linesOf(silent.stdout), 3 - upTo)
    const { code, stdout } = await troupe(["chat", slug, "--session", session], "Are you there?")
    assert.strictEqual(code, 0)
    assert.strictEqual(linesOf(stdout)[3 - upTo], "you: Are you there?")
  })
})

describe("chat", () => {
  it(
    "sends each piped line after the reply to the one before, shows the replies with the character's name, " +
      "and exits with 0; the next call continues",
    async () => {
      const name = demoCharacters[0]?.display_name ?? ""
      const first = await troupe(["chat", "edda-brandvik"], "What do you do all day?\n\nAnd tomorrow?")
      assert.strictEqual(first.code, 0, first.stderr)
      const lines = linesOf(first.stdout)
      const asked = lines.indexOf("you: What do you do all day?")
      assert.isAbove(asked, 0)
      for (const line of lines.slice(0, asked)) assert.isTrue(line.startsWith(`${name}: `), line)
      const next = lines.indexOf("you: And tomorrow?")
      const between = lines.slice(asked + 1, next)
      assert.isNotEmpty(between)
      for (const line of between) assert.isTrue(line.startsWith(`${name}: `), line)
      assert.isTrue(lines.at(-1)?.startsWith(`${name}: `))
      assert.match(first.stderr, /is typing/)

      const second = await troupe(["chat", "edda-brandvik"])
      assert.deepStrictEqual(linesOf(second.stdout), lines)
      const fresh = await troupe(["chat", "edda-brandvik", "--new"])
      assert.deepStrictEqual(linesOf(fresh.stdout), lines.slice(0, asked))
    }
  )

  it("joins the given session in the given mode, and prints the log with --json", async () => {
    const session = await app.createSession({ character_slug: "silvan-roque" })
    const { code, stdout, stderr } = await troupe(
      ["chat", "silvan-roque", "--session", session, "--mode", "deep", "--json"],
      "Hello\n"
    )
    assert.strictEqual(code, 0)
    assert.strictEqual(stderr, "")
    assert.deepStrictEqual(eventsOf(stdout), (await app.events(session)) as Array<unknown>)
    const { body } = await app.get(`/v1/sessions/${session}/trace`)
    assert.strictEqual(body.data.trace[0].reply_mode, "deep")
    assert.match(
      (await troupe(["chat", "edda-brandvik", "--session", session])).stderr,
      /^troupe: --session: [^\n]+silvan-roque\n$/
    )
  })

  it("sends a message once even if the response to it is lost", async () => {
    let lose = 1
    const lossy = createServer((incoming, outgoing) => {
      const onward = httpRequest(
        app.baseUrl + incoming.url,
        { method: incoming.method, headers: incoming.headers },
        (answer) => {
          if (incoming.method === "POST" && incoming.url?.endsWith("/messages") && lose-- > 0) return outgoing.destroy()
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
          answer.pipe(outgoing)
        }
      )
      incoming.pipe(onward)
    }).listen(0, "127.0.0.1")
    await until("a port", () => lossy.address() !== null)
    const address = lossy.address()
    const session = await app.createSession({ character_slug: "edda-brandvik" })
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
    const { code, stderr } = await troupe(["chat", "edda-brandvik", "--session", session, "--url", url], "Only once")
    lossy.close()
    lossy.closeAllConnections()
    assert.strictEqual(code, 0)
    assert.match(stderr, /cannot be reached \([^)]+\); retrying\n/)
    assert.deepStrictEqual(
      (await app.events(session)).map((event) => event.type),
      ["character.initiated", "message.created", "run.status", "message.created"]
    )
  })

  it("says so and ends if the character leaves", async () => {
    const slug = await app.createCharacter()
    const session = await app.createSession({ character_slug: slug })
    const chat = start(["chat", slug, "--session", session])
    chat.child.stdin?.write("Hello\n")
    await until("the reply", () => chat.stdout().includes("Mara: "))
    await app.delete(`/v1/characters/${slug}?end_sessions=true`)
    assert.strictEqual(await chat.exit, 0)
    assert.match(linesOf(chat.stdout()).at(-1) ?? "", /^! Mara has left this conversation \(\w+\)$/)
    assert.match((await troupe(["chat", slug, "--session", session])).stderr, /^troupe: this conversation has ended/)
  })

  it("says so if a message is refused, continues with the next, and ends with exit code 1", async () => {
    const session = await app.createSession({ character_slug: "edda-brandvik" })
    const { code, stdout, stderr } = await troupe(
      ["chat", "edda-brandvik", "--session", session],
      `${"x".repeat(33_000)}\nHello\n`
    )
    assert.strictEqual(code, 1)
    assert.match(stderr, /^troupe: not sent: 422 validation_error: /)
    assert.match(stderr, /\ntroupe: 1 message was not sent\n$/)
    assert.match(linesOf(stdout).at(-1) ?? "", /^Edda Brandvik: /)
  })

  describe("on a model", () => {
    let model: FakeModel
    let modelServer: TestServer
    let own: TestApp
    let slug: string
    beforeAll(async () => {
      model = await startModel()
      modelServer = await startTestServer({ env: { OPENAI_BASE_URL: model.url } })
      own = await modelServer.createApp()
      slug = await own.createCharacter()
    })
    afterAll(async () => {
      await modelServer.close()
      await model.close()
    })

    it("shows a failed reply, and does not wait for another", async () => {
      model.script({ kind: "refusal" }, { kind: "refusal" })
      const { code, stdout } = await troupe(["chat", slug, "--new"], "Hello", env(own))
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(linesOf(stdout), [
        "you: Hello",
        "! Mara could not answer (generation_failed); your message was recorded, send it again to retry"
      ])
    })
  })

  it.each([
    ["is silent", "withheld", "active", "", ["you: Hello", "(Mara says nothing.)"]],
    [
      "leaves with its last reply",
      "exited",
      "exited",
      "Farewell.",
      ["you: Hello", "Mara: Farewell.", "! Mara has left this conversation (story_exit)"]
    ]
  ])("waits only until the end of the turn if the character %s", async (_, outcome, afterwards, reply, lines) => {
    const session = { id: "ses_1", character_slug: "mara", status: "active", last_cursor: 0 }
    const created_at = "2026-01-01T00:00:00.000Z"
    const frame = (cursor: number, type: string, role: string, payload: object) => {
      const event = { id: `evt_${cursor}`, cursor, type, role, trace_id: "run_1", created_at, payload }
      return `id: ${cursor}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`
    }
    let stream: ServerResponse | undefined
    const routes: Readonly<Record<string, (response: ServerResponse, headers: IncomingHttpHeaders) => unknown>> = {
      "/v1/sessions": () => session,
      "/v1/sessions/ses_1": (response) => {
        // The rest arrives once the client has requested the state of the session.
        response.on("finish", () => {
          if (outcome === "exited") stream?.write(frame(4, "session.exited", "system", { reason_code: "story_exit" }))
        })
        return { ...session, status: afterwards }
      },
      "/v1/characters/mara": () => ({ display_name: "Mara" }),
      "/v1/sessions/ses_1/events": () => ({ events: [] }),
      "/v1/sessions/ses_1/trace": () => ({ trace: [{ outcome, settled: true }] }),
      "/v1/sessions/ses_1/messages": async (_, headers) => {
        const client_message_id = headers["idempotency-key"]
        const open = await until("a reader", () => stream)
        open.write(frame(1, "message.created", "user", { text: "Hello", bubbles: ["Hello"], client_message_id }))
        open.write(frame(2, "run.status", "character", { status: "generating", run_ref: "run_1", client_message_id }))
        if (reply !== "") open.write(frame(3, "message.created", "character", { text: reply, bubbles: [reply] }))
        return {}
      }
    }
    const answer = async (path: string, headers: IncomingHttpHeaders, response: ServerResponse) => {
      response.end(JSON.stringify({ data: await routes[path]?.(response, headers) }))
    }
    const scripted = createServer((request, response) => {
      const path = request.url?.split("?")[0] ?? ""
      if (path.endsWith("/stream")) {
        stream = response.writeHead(200, { "content-type": "text/event-stream" })
        stream.flushHeaders()
      } else void answer(path, request.headers, response)
    }).listen(0, "127.0.0.1")
    await until("a port", () => scripted.address() !== null)
    const address = scripted.address()
    const { code, stdout } = await troupe(
      ["chat", "mara", "--url", `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`],
      "Hello"
    )
    scripted.close()
    scripted.closeAllConnections()
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(linesOf(stdout), lines)
  })
})

describe("webhooks listen", () => {
  const receive = async (...answers: Parameters<typeof startReceiver>) => {
    const receiver = await startReceiver(...answers)
    receivers.push(receiver)
    return receiver
  }
  const verified = ({ headers, body }: Receiver["requests"][number], secret: string) =>
    new Webhook(secret).verify(body, headers as Record<string, string>)

  it("forwards events to a local address as the webhook channel does, with a secret that it shows once", async () => {
    const receiver = await receive(status(204))
    const session = await app.createSession({ character_slug: "edda-brandvik" })
    const listen = start(["webhooks", "listen", "--session", session, "--forward", receiver.url])
    await until("the secret", () => listen.stdout().includes("whsec_"))
    await app.converse(session, "Hello")
    await receiver.received(2)
    const secret = /whsec_[A-Za-z0-9+/=]+/.exec(listen.stdout())?.[0] ?? ""
    const events = await app.events(session, 1)
    assert.deepStrictEqual(
      receiver.requests.map((request) => verified(request, secret)),
      [...events]
    )
    assert.deepStrictEqual(
      receiver.requests.map(({ headers }) => headers["x-service-cursor"]),
      ["2", "3", "4"]
    )
    assert.deepStrictEqual(
      receiver.requests.map(({ headers }) => headers["x-service-event-id"]),
      events.map((event) => event.id)
    )
    await until("a line for each", () => linesOf(listen.stdout()).length === 4)
    assert.match(linesOf(listen.stdout())[1] ?? "", /^#2 message\.created -> 204 in \d+ ms$/)
    assert.strictEqual(await interrupt(listen), 0)
  })

  it("retries in order, gives up after a few attempts, and does not print a given secret", async () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    const receiver = await receive((response, { headers }) => {
      response.writeHead(headers["x-service-cursor"] === "1" ? 500 : 200).end()
    })
    const session = await app.createSession({ character_slug: "edda-brandvik" })
    await app.converse(session, "Hello")
    const listen = start([
      "webhooks",
      "listen",
      "--session",
      session,
      "--forward",
      receiver.url,
      "--secret",
      secret,
      "--since",
      "0",
      "--json"
    ])
    await until("the last event", () => eventsOf(listen.stdout()).some((line) => line.cursor === 4))
    assert.deepStrictEqual(
      eventsOf(listen.stdout()).map(({ cursor, attempt, status_code, error_code }) => [
        cursor,
        attempt,
        status_code,
        error_code
      ]),
      [
        [1, 1, 500, "http_500"],
        [1, 2, 500, "http_500"],
        [1, 3, 500, "http_500"],
        [1, 4, 500, "http_500"],
        [2, 1, 200, null],
        [3, 1, 200, null],
        [4, 1, 200, null]
      ]
    )
    for (const request of receiver.requests) verified(request, secret)
    assert.strictEqual(listen.stderr(), "troupe: #1 was not accepted in 4 tries; continuing with the next\n")
    assert.notInclude(listen.stdout(), secret)
  })
})
