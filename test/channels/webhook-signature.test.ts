import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { Webhook as SvixWebhook } from "svix"
import { parseAllowList } from "#channels/outbound/AllowList.ts"
import { Outbound } from "#channels/outbound/Outbound.ts"
import { problemOf } from "#channels/webhook/secret.ts"
import { signatureHeaders } from "#channels/webhook/sign.ts"
import { makeWebhookChannel } from "#channels/webhook/WebhookChannel.ts"
import { Endpoints } from "#channels/Endpoints.ts"
import { anyCharacter } from "#test/support/hostile/anyCharacter.ts"
import { type Received, startReceiver, status } from "#test/support/Receiver.ts"
import { push } from "#test/support/conversation/push.ts"

const CURRENT = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const PREVIOUS = "a secret of words, with an ümlaut and a 😀"
const OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
const EVENT = `{"cursor":7,"type":"message.created","payload":{"text":"Grüße 😀"}}`

/** A secret in the form that the packages expect. */
const asGiven = (secret: string): [string | Uint8Array, { format?: "raw" }] => {
  const isEncoded =
    secret.startsWith("whsec_") &&
    Buffer.from(secret.slice(6), "base64").toString("base64") === secret.slice(6) &&
    secret.length > 6
  return isEncoded ? [secret, {}] : [Buffer.from(secret, "utf8"), { format: "raw" }]
}

const VERIFIERS = {
  standardwebhooks: (secret: string) => new StandardWebhook(...asGiven(secret)),
  svix: (secret: string) => new SvixWebhook(...asGiven(secret))
} as const
const PACKAGES = Object.keys(VERIFIERS) as ReadonlyArray<keyof typeof VERIFIERS>

/** The request that delivers the event to a receiver with these secrets. */
const requestUnder = Effect.fnUntraced(function* (secrets: ReadonlyArray<string>) {
  const receiver = yield* Effect.acquireRelease(
    Effect.promise(() => startReceiver(status(200))),
    (receiver) => Effect.promise(() => receiver.close())
  )
  const list = parseAllowList("127.0.0.1")
  if ("bad" in list) return yield* Effect.die(new Error(list.bad))
  const endpoints = Layer.succeed(Endpoints, {
    get: () =>
      Effect.succeed({
        url: Redacted.make(receiver.url),
        secrets: secrets.map((secret) => Redacted.make(secret)),
        config: {}
      })
  })
  const channel = yield* makeWebhookChannel.pipe(
    Effect.provide(yield* Layer.build(Layer.merge(Outbound.layer(list), endpoints)))
  )
  yield* push(channel, {
    appId: "app_1",
    sessionId: "ses_1",
    channelId: "chn_1",
    channelVersion: 1,
    cursor: 7,
    eventId: "evt_01",
    type: "message.created",
    event: EVENT
  })
  return yield* Effect.promise(() => receiver.received(0))
})

const headersOf = ({ headers }: Received) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

describe.each(PACKAGES)("a receiver that verifies with the package %s", (name) => {
  const verifier = VERIFIERS[name]

  it.live.each([
    ["with an encoded secret", [CURRENT], CURRENT],
    ["with a plain-text secret", [PREVIOUS], PREVIOUS],
    ["during a rotation, with the new secret", [CURRENT, PREVIOUS], CURRENT],
    ["during a rotation, with the old secret", [CURRENT, PREVIOUS], PREVIOUS]
  ] as const)("accepts our request %s", ([, secrets, secret]) =>
    Effect.gen(function* () {
      const request = yield* requestUnder(secrets)
      assert.doesNotThrow(() => verifier(secret).verify(request.body, headersOf(request)))
      assert.lengthOf(headersOf(request)["webhook-signature"]?.split(" ") ?? [], secrets.length)
    })
  )

  it.live("rejects a request signed with another secret", () =>
    Effect.gen(function* () {
      const request = yield* requestUnder([CURRENT, PREVIOUS])
      assert.throws(() => verifier(OTHER).verify(request.body, headersOf(request)), "No matching signature")
    })
  )

  it.live("rejects another body, another id and another time", () =>
    Effect.gen(function* () {
      const request = yield* requestUnder([CURRENT])
      const headers = headersOf(request)
      const refused = (body: Buffer, headers: Record<string, string>) =>
        assert.throws(() => verifier(CURRENT).verify(body, headers), "No matching signature")
      refused(Buffer.from(EVENT.replace("7", "8")), headers)
      refused(request.body, { ...headers, "webhook-id": "evt_02" })
      refused(request.body, { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + 1) })
    })
  )

  it.effect("rejects an old request", () =>
    Effect.gen(function* () {
      const request = yield* requestUnder([CURRENT])
      assert.strictEqual(headersOf(request)["webhook-timestamp"], "0")
      assert.throws(() => verifier(CURRENT).verify(request.body, headersOf(request)), "too old")
    })
  )
})

describe("a signature", () => {
  const encoded = fc
    .uint8Array({ minLength: 1, maxLength: 64 })
    .map((bytes) => `whsec_${Buffer.from(bytes).toString("base64")}`)
  const words = fc.string({ unit: anyCharacter, minLength: 16, maxLength: 256 })
  const secret = fc.oneof(
    encoded,
    words,
    fc.constantFrom("whsec_", "whsec_not base64", "whsec_abc", "whsec_====", "whsec_a-_b")
  )
  const body = fc.oneof(fc.json({ stringUnit: anyCharacter }), fc.string({ unit: anyCharacter, minLength: 1 }))
  const now = () => Math.floor(Date.now() / 1000)
  const verify = (key: string, payload: string | Buffer, headers: Record<string, string>) =>
    new StandardWebhook(...asGiven(key)).verify(payload, headers, { jsonParse: false })

  it("is valid for any body and any secrets", () => {
    fc.assert(
      fc.property(body, fc.array(secret, { minLength: 1, maxLength: 3 }), (text, secrets) => {
        const headers = signatureHeaders(
          { id: "evt_01", timestamp: now(), body: Buffer.from(text) },
          secrets.map((key) => Redacted.make(key))
        )
        for (const key of secrets) assert.doesNotThrow(() => verify(key, text, headers))
      }),
      { numRuns: 500 }
    )
  })

  it("is valid for the libraries with every secret that we accept, decoded by themselves or as raw bytes", () => {
    const nearly = fc
      .tuple(fc.uint8Array({ minLength: 8, maxLength: 64 }), fc.constantFrom("base64", "base64url"), fc.nat({ max: 3 }))
      .map(([bytes, encoding, cut]) => {
        const text = Buffer.from(bytes).toString(encoding === "base64" ? "base64" : "base64url")
        return text.slice(0, text.length - cut)
      })
    const anySecret = fc.oneof(
      nearly.map((text) => `whsec_${text}`),
      nearly,
      words,
      fc.tuple(words, fc.constantFrom("\n", "\r\n", "\t", " ", "\0")).map((parts) => parts.join(""))
    )
    let accepted = 0
    fc.assert(
      fc.property(anySecret, body, (key, text) => {
        if (problemOf(key) !== null) return
        accepted++
        const headers = signatureHeaders({ id: "evt_01", timestamp: now(), body: Buffer.from(text) }, [
          Redacted.make(key)
        ])
        const read = key.startsWith("whsec_")
          ? [new StandardWebhook(key), new SvixWebhook(key)]
          : [
              new StandardWebhook(Buffer.from(key), { format: "raw" }),
              new SvixWebhook(Buffer.from(key), { format: "raw" })
            ]
        for (const webhook of read) assert.doesNotThrow(() => webhook.verify(text, headers, { jsonParse: false }))
        if (!key.startsWith("whsec_")) assert.throws(() => new StandardWebhook(key).verify(text, headers))
      }),
      { numRuns: 1000 }
    )
    assert.isAbove(accepted, 200)
  })

  it("is rejected when any byte of the body or of the signature has changed", () => {
    fc.assert(
      fc.property(body, secret, fc.nat(), fc.integer({ min: 1, max: 255 }), (text, key, place, change) => {
        const bytes = Buffer.from(text)
        const headers = signatureHeaders({ id: "evt_01", timestamp: now(), body: bytes }, [Redacted.make(key)])
        const flipped = (from: Buffer) =>
          Buffer.from(from.map((byte, at) => (at === place % from.length ? byte ^ change : byte)))
        // The package reads a body as text, in which some invalid bytes become the same character.
        const other = flipped(bytes)
        if (other.toString() !== text) assert.throws(() => verify(key, other, headers), "No matching signature")
        const forged = flipped(Buffer.from(headers["webhook-signature"], "latin1")).toString("latin1")
        assert.throws(() => verify(key, text, { ...headers, "webhook-signature": forged }), "No matching signature")
      }),
      { numRuns: 500 }
    )
  })
})
