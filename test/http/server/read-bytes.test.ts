import * as fc from "fast-check"
import type { FastifyRequest } from "fastify"
import { createHash, randomBytes } from "node:crypto"
import { Readable } from "node:stream"
import { assert, describe, it } from "vitest"
import { type Body, readBytes } from "#src/http/server/body/readBytes.ts"

const LIMIT = 300_000
const SOURCE = randomBytes(LIMIT + 1)

/** What is read of a body that arrives in these parts. */
const read = (parts: ReadonlyArray<Buffer>, declared?: number): Promise<Body> =>
  new Promise((resolve, reject) => {
    const headers = declared === undefined ? {} : { "content-length": String(declared) }
    const request = { headers, routeOptions: { bodyLimit: LIMIT } } as FastifyRequest
    readBytes(request, Readable.from(parts, { objectMode: false }), (error, body) =>
      body === undefined ? reject(error) : resolve(body)
    )
  })
const codeOf = (reading: Promise<Body>) =>
  reading.then(
    () => "read",
    (error: { readonly code: string }) => error.code
  )

const partsOf = (length: number, cuts: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const places = [0, ...cuts.filter((at) => at > 0 && at < length).toSorted((a, b) => a - b), length]
  return places.slice(1).map((to, index) => SOURCE.subarray(places[index], to))
}
const lengths = fc.oneof(fc.nat({ max: LIMIT }), fc.constantFrom(1, 65_535, 65_536, 65_537, 131_072, 131_073, LIMIT))
const bodies = fc
  .tuple(lengths, fc.array(fc.nat({ max: LIMIT }), { maxLength: 20 }))
  .map(([length, cuts]) => ({ length, parts: partsOf(length, cuts) }))

describe("a body", () => {
  it("is read whole, whatever its size and parts, with and without a declared length", () =>
    fc.assert(
      fc.asyncProperty(bodies, fc.boolean(), async ({ length, parts }, declares) => {
        const { bytes, digest } = await read(parts, declares ? length : undefined)
        const expected = SOURCE.subarray(0, length)
        assert.isTrue(bytes.equals(expected))
        assert.strictEqual(bytes.toString("base64"), expected.toString("base64"))
        assert.strictEqual(digest, createHash("sha1").update(expected).digest("hex"))
      }),
      { numRuns: 200 }
    ))

  it("is refused if it is longer or shorter than declared", () =>
    fc.assert(
      fc.asyncProperty(bodies, fc.integer({ min: -LIMIT, max: LIMIT }), async ({ length, parts }, off) => {
        const declared = length + off
        fc.pre(off !== 0 && declared >= 0 && declared <= LIMIT)
        assert.strictEqual(await codeOf(read(parts, declared)), "FST_ERR_CTP_INVALID_CONTENT_LENGTH")
      }),
      { numRuns: 100 }
    ))

  it("is refused beyond the limit of its route, declared or not", async () => {
    const parts = partsOf(LIMIT + 1, [1000, 200_000])
    assert.strictEqual(await codeOf(read(parts)), "FST_ERR_CTP_BODY_TOO_LARGE")
    assert.strictEqual(await codeOf(read(parts, LIMIT + 1)), "FST_ERR_CTP_BODY_TOO_LARGE")
  })
})
