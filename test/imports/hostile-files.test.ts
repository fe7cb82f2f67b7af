import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { loreCost, MAX_LORE_COST } from "#pipeline/patterns.ts"
import { hashOf } from "#src/imports/Bundle.ts"
import { readImport } from "#src/imports/readImport.ts"
import {
  base64,
  cardV2,
  cardV3,
  chunk,
  compressedText,
  picture,
  pngWith,
  SIGNATURE,
  text,
  zipOf
} from "#test/support/files/cards.ts"
import { effortOf } from "#test/support/effort/effortOf.ts"

const MIB = 1024 * 1024
const readFile = (bytes: Buffer) =>
  Effect.runPromise(Effect.result(readImport({ format: "auto", filename: "", forPresent: false, content: { bytes } })))
const refusal = async (bytes: Buffer) => {
  const result = await readFile(bytes)
  return result._tag === "Failure" ? result.failure.reason : "taken in"
}
const takenIn = async (bytes: Buffer) => {
  const result = await readFile(bytes)
  return result._tag === "Success" ? result.success : assert.fail(result.failure.problem)
}

/** Replaces every occurrence of some bytes, in the local headers and in the directory. */
const replaced = (bytes: Buffer, from: string, to: string): Buffer =>
  Buffer.from(bytes.toString("latin1").replaceAll(from, to), "latin1")
/** Sets bit 0 of the flags in every header of a ZIP: encrypted. */
const encrypted = (bytes: Buffer): Buffer => {
  const marked = Buffer.from(bytes)
  for (const [signature, offset] of [
    ["PK\x03\x04", 6],
    ["PK\x01\x02", 8]
  ] as const) {
    for (let at = marked.indexOf(signature, 0, "latin1"); at !== -1; at = marked.indexOf(signature, at + 4, "latin1"))
      marked.writeUInt16LE(marked.readUInt16LE(at + offset) | 1, at + offset)
  }
  return marked
}
/** Claims this size for every file in a ZIP. */
const declaring = (bytes: Buffer, size: number): Buffer => {
  const marked = Buffer.from(bytes)
  for (const [signature, offset] of [
    ["PK\x03\x04", 22],
    ["PK\x01\x02", 24]
  ] as const) {
    for (let at = marked.indexOf(signature, 0, "latin1"); at !== -1; at = marked.indexOf(signature, at + 4, "latin1"))
      marked.writeUInt32LE(size, at + offset)
  }
  return marked
}
const header = (width: number, height: number): Buffer => {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.set([8, 2], 8)
  return chunk("IHDR", data)
}
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`

describe("a hostile archive is refused", () => {
  it.each<[string, () => Promise<Buffer> | Buffer, string]>([
    ["a bomb", () => zipOf({ "card.json": Buffer.alloc(9 * MIB, 32) }), "too_large"],
    [
      "a bomb of which the header says that it is small",
      async () => declaring(await zipOf({ "card.json": Buffer.alloc(9 * MIB, 32) }), 1000),
      "unreadable"
    ],
    [
      "more than 64 MiB by its headers",
      async () => declaring(await zipOf({ "card.json": cardV3(), "a.png": "x" }), 40 * MIB),
      "too_large"
    ],
    [
      "more than 10,000 entries",
      () =>
        zipOf(
          Object.fromEntries([["card.json", cardV3()], ...Array.from({ length: 10_000 }, (_, n) => [`${n}.txt`, "x"])])
        ),
      "too_large"
    ],
    [
      "a path that leads upwards",
      async () => replaced(await zipOf({ "card.json": cardV3(), "aa/bbb.txt": "x" }), "aa/bbb.txt", "../bbb.txt"),
      "unreadable"
    ],
    [
      "an absolute path",
      async () => replaced(await zipOf({ "card.json": cardV3(), "aa/bbb.txt": "x" }), "aa/bbb.txt", "/a/bbb.txt"),
      "unreadable"
    ],
    [
      "a path of Windows",
      async () => replaced(await zipOf({ "card.json": cardV3(), "aa/bbb.txt": "x" }), "aa/bbb.txt", "C:\\bbb.txt"),
      "unreadable"
    ],
    ["an encrypted entry", async () => encrypted(await zipOf({ "card.json": cardV3() })), "unreadable"],
    ["a truncated one", async () => (await zipOf({ "card.json": cardV3() })).subarray(0, 200), "unreadable"],
    ["one without a card", () => zipOf({ "readme.txt": "x" }), "unsupported"],
    ["an invalid card", () => zipOf({ "card.json": { entries: {} } }), "unsupported"],
    ["an empty one", () => zipOf({}), "unsupported"],
    [
      "broken data",
      async () =>
        replaced(
          await zipOf({ "card.json": cardV3() }),
          (await zipOf({ "card.json": cardV3() })).toString("latin1", 60, 80),
          "?".repeat(20)
        ),
      "unreadable"
    ]
  ])("%s", async (_, file, reason) => {
    assert.strictEqual(await refusal(await file()), reason)
  })

  it("except for an asset that is a bomb or too large, which is dropped", async () => {
    const assets = [{ type: "icon", uri: "embeded://large.png", name: "a", ext: "png" }]
    const { bundle, report } = await takenIn(
      await zipOf({ "card.json": cardV3({ assets }), "large.png": randomBytes(6 * MIB) })
    )
    assert.deepStrictEqual([bundle.assets, report.warnings.map(({ code }) => code)], [[], ["asset_missing"]])
  })
})

describe("a hostile PNG", () => {
  it.each<[string, () => Promise<Buffer> | Buffer, string]>([
    ["without a text", () => picture(), "unreadable"],
    [
      "with a chunk that says it is longer than the file",
      () => pngWith(chunk("tEXt", Buffer.from("chara\0x"), 0xfffffff0)),
      "unreadable"
    ],
    ["with invalid base64", () => pngWith(text("chara", "%%%not base64%%%")), "unreadable"],
    ["with base64 of something other than JSON", () => pngWith(text("chara", base64("rubbish"))), "unreadable"],
    ["with JSON that is not a card", () => pngWith(text("chara", base64("[]"))), "unsupported"],
    [
      "with a compressed text that is a bomb",
      () => pngWith(compressedText("chara", Buffer.alloc(16 * MIB, 65))),
      "unreadable"
    ],
    [
      "of more than 40 megapixels",
      () => Buffer.concat([SIGNATURE, header(10_000, 5_000), text("chara", base64(cardV2()))]),
      "too_large"
    ],
    [
      "of half a million chunks",
      () => pngWith(Buffer.concat(Array.from<Buffer>({ length: 500_000 }).fill(chunk("tEXt", Buffer.from("a\0"))))),
      "too_large"
    ],
    ["that is only a signature", () => SIGNATURE, "unreadable"]
  ])("is refused: %s", async (_, file, reason) => {
    assert.strictEqual(await refusal(await file()), reason)
  })

  it("with hundreds of unused bombs is read at once, and its picture is kept without them", async () => {
    const bomb = compressedText("junk", Buffer.alloc(8 * MIB, 65))
    const file = await pngWith(...Array.from<Buffer>({ length: 300 }).fill(bomb), text("chara", base64(cardV2())))
    const {
      result: { bundle },
      effortMs
    } = await effortOf(() => takenIn(file))
    assert.isBelow(effortMs, 1000)
    assert.deepInclude(bundle.assets[0], { width: 8, height: 8 })
    assert.isBelow(bundle.assets[0]?.bytes ?? 0, 1000)
  })

  it.each<[string, string, ReadonlyArray<Buffer>, string]>([
    [
      "a bomb that it carries",
      "embeded://0",
      [compressedText("chara-ext-asset_:0", Buffer.alloc(9 * MIB, 65))],
      "too_large"
    ],
    ["its own picture, which is too large", "ccdefault:", [chunk("IDAT", randomBytes(6 * MIB))], "list_truncated"]
  ])("that refers twenty thousand times to %s is rejected quickly", async (_, uri, chunks, outcome) => {
    const assets = Array.from({ length: 20_000 }, () => ({ type: "icon", uri, name: "a", ext: "png" }))
    const file = await pngWith(compressedText("ccv3", base64(cardV3({ assets }))), ...chunks)
    const { result, effortMs } = await effortOf(() => readFile(file))
    assert.isBelow(effortMs, 3000)
    assert.include(
      result._tag === "Failure" ? [result.failure.reason] : result.success.report.warnings.map(({ code }) => code),
      outcome
    )
  })

  it("is read for its card even if its picture is broken, which is dropped", async () => {
    const { bundle, report } = await takenIn(Buffer.concat([SIGNATURE, text("chara", base64(cardV2()))]))
    assert.deepStrictEqual([bundle.assets, report.warnings.map(({ code }) => code)], [[], ["asset_rejected"]])
  })

  it("that is also a ZIP or a page is read as a PNG", async () => {
    const card = await pngWith(text("chara", base64(cardV2())))
    for (const tail of [
      await zipOf({ "card.json": cardV3({ name: "Other" }) }),
      Buffer.from("<script>alert(1)</script>")
    ]) {
      assert.strictEqual((await takenIn(Buffer.concat([card, tail]))).bundle.character["display_name"], "Mara")
    }
  })
})

describe("hostile JSON is refused", () => {
  it.each<[string, () => Buffer, string]>([
    ["none at all", () => Buffer.alloc(0), "unreadable"],
    ["no UTF-8", () => Buffer.from([0xff, 0xfe, 0x7b]), "unreadable"],
    ["a JPEG", () => Buffer.from([0xff, 0xd8, 0xff, 0xe0]), "unsupported"],
    ["half of it", () => Buffer.from(JSON.stringify(cardV2()).slice(0, 100)), "unreadable"],
    ["a list", () => Buffer.from("[]"), "unsupported"],
    ["of an unknown kind", () => Buffer.from("{}"), "unsupported"],
    [
      "of a version that is not yet",
      () => Buffer.from(JSON.stringify({ ...cardV3(), spec: "chara_card_v9" })),
      "unsupported"
    ],
    [
      "of a spec with a name of every object's",
      () => Buffer.from(JSON.stringify({ ...cardV3(), spec: "constructor" })),
      "unsupported"
    ],
    [
      "nested too deep",
      () => Buffer.from(JSON.stringify(cardV2()).replace('"extensions":{}', `"extensions":${nested(100_000)}`)),
      "unreadable"
    ],
    ["of millions of values", () => Buffer.from(`{"entries":[${"[],".repeat(3_000_000)}[]]}`), "too_large"],
    ["of too much text", () => Buffer.from(JSON.stringify(cardV2({ description: "a ".repeat(MIB) }))), "too_large"],
    ["larger than 10 MiB", () => Buffer.alloc(10 * MIB + 1, 32), "too_large"]
  ])("%s", async (_, file, reason) => {
    assert.strictEqual(await refusal(file()), reason)
  })

  it("and values that cannot be stored are dropped: U+0000, unpaired surrogates, prototypes", async () => {
    const raw = JSON.stringify(cardV2({ name: "Ma\u0000ra", creator: "a\ud800b" })).replace(
      '"extensions":{}',
      '"extensions":{"__proto__":{"polluted":true},"a\\u0000":1}'
    )
    const { bundle } = await takenIn(Buffer.from(raw))
    assert.strictEqual(bundle.character["display_name"], "Mara")
    assert.deepStrictEqual([bundle.extra["card"], bundle.extra["extensions"]], [{ creator: "a\ufffdb" }, { a: 1 }])
    assert.isUndefined(({} as { polluted?: boolean }).polluted)
  })

  it.each<[string, Record<string, unknown>]>([
    ["every field a number", Object.fromEntries(Object.keys(cardV3().data).map((key) => [key, 7]))],
    ["every field null", Object.fromEntries(Object.keys(cardV3().data).map((key) => [key, null]))],
    [
      "every field a list of everything",
      Object.fromEntries(Object.keys(cardV3().data).map((key) => [key, [null, 7, "x", [], {}]]))
    ],
    [
      "a book of nonsense",
      {
        character_book: {
          entries: [null, 7, { keys: 7, content: 7, extensions: [] }, { content: "@@", keys: [null, ""] }]
        }
      }
    ]
  ])("and a card with an unexpected shape does no harm: %s", async (_, data) => {
    const { bundle } = await takenIn(Buffer.from(JSON.stringify({ spec: "chara_card_v3", data })))
    assert.isNotEmpty(bundle.character["display_name"])
    assert.match(hashOf(bundle), /^[0-9a-f]{64}$/)
  })
})

describe("an image of a card", () => {
  it("is decoded only in the accepted formats", async () => {
    const assets = ["svg+xml", "png"].map((type) => ({
      type: "icon",
      uri: `data:image/${type};base64,${base64("<svg xmlns='http://www.w3.org/2000/svg' width='8' height='8'/>")}`,
      name: "a",
      ext: "png"
    }))
    const { bundle, report } = await takenIn(Buffer.from(JSON.stringify(cardV3({ assets }))))
    assert.deepStrictEqual(
      [bundle.assets, report.warnings.map(({ code }) => code)],
      [[], ["asset_rejected", "asset_rejected"]]
    )
  })
})

describe("a lorebook of patterns that compile slowly", () => {
  it("is read quickly, up to the number of patterns allowed", async () => {
    const keys = Array.from({ length: 30_000 }, (_, n) => `/(?:\\pL?\\pN?){${n % 2 === 0 ? 500 : 90}}${n}/`)
    const entries = Array.from({ length: 5 }, (_, n) => ({
      keys: keys.slice(n * 6000, (n + 1) * 6000),
      content: `${n}`
    }))
    const {
      result: { bundle, report },
      effortMs
    } = await effortOf(() => takenIn(Buffer.from(JSON.stringify(cardV2({ character_book: { entries } })))))
    assert.isBelow(effortMs, 5000)
    assert.include(
      report.warnings.map(({ code }) => code),
      "regex_key_dropped"
    )
    assert.isAtMost(loreCost(bundle.lore), MAX_LORE_COST)
    assert.isNotEmpty(bundle.lore.flatMap((entry) => entry["keys"]))
  })
})

describe("an overlong name", () => {
  it.each(["name", "nickname"])(
    "is shortened, or ignored in the examples, and causes no refusal: %s",
    async (field) => {
      const { bundle } = await takenIn(Buffer.from(JSON.stringify(cardV2({ [field]: "é(".repeat(100_000) }))))
      assert.deepStrictEqual(bundle.character["example_dialogues"], [
        { user: "Are you open?", character: "For you? Always." }
      ])
    }
  )
})

describe("text designed to be slow to parse", () => {
  it.each<[string, string]>([
    ["placeholders that never close", "{{a".repeat(60_000)],
    ["tags that never close", "<a ".repeat(60_000)],
    ["asterisks", "*a ".repeat(60_000)],
    ["stars alone", "*".repeat(200_000)],
    ["line breaks", "\n".repeat(200_000)],
    ["spaces", " ".repeat(200_000)],
    ["quotes", `[x Personality=${'"a"'.repeat(50_000)}`],
    ["speakers", "{{char}}:\n".repeat(20_000)],
    ["starts", "<START>".repeat(25_000)],
    ["full stops", ". ".repeat(100_000)]
  ])("is parsed quickly: %s", async (_, long) => {
    const file = Buffer.from(
      JSON.stringify(
        cardV3({
          description: long,
          first_mes: long,
          mes_example: long,
          character_book: { entries: [{ keys: [long.slice(0, 10_000)], content: long }] }
        })
      )
    )
    assert.isBelow((await effortOf(() => readFile(file))).effortMs, 3000)
  })
})
