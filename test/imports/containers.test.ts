import * as Effect from "effect/Effect"
import sharp from "sharp"
import { assert, describe, it } from "vitest"
import { readImport, type ReadImport } from "#src/imports/readImport.ts"
import {
  base64,
  cardV2,
  cardV3,
  compressedText,
  internationalText,
  picture,
  pngWith,
  text,
  zipOf
} from "#test/support/files/cards.ts"

const read = (bytes: Buffer, filename = "") =>
  Effect.runPromise(Effect.result(readImport({ format: "auto", filename, forPresent: false, content: { bytes } })))
const taken = async (bytes: Buffer, filename = ""): Promise<ReadImport> => {
  const result = await read(bytes, filename)
  return result._tag === "Success" ? result.success : assert.fail(result.failure.problem)
}
const refused = async (bytes: Buffer): Promise<string> => {
  const result = await read(bytes)
  return result._tag === "Failure" ? result.failure.problem : assert.fail("taken")
}
const nameOf = ({ bundle }: ReadImport) => bundle.character["display_name"]
const droppedOf = ({ report }: ReadImport) => report.dropped.map(({ from, reason }) => `${from}: ${reason}`)

/** With a card in it, and the picture of an expression. */
const charx = async () =>
  zipOf({
    "card.json": cardV3({ assets: [{ type: "emotion", uri: "embeded://assets/joy.png", name: "joy", ext: "png" }] }),
    "assets/joy.png": await picture()
  })
const jpegWith = async (payload: Buffer, marker: number): Promise<Buffer> => {
  const jpeg = await picture("jpeg")
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(payload.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), head, payload, jpeg.subarray(2)])
}
const xmp = (said: string) => `<x:xmpmeta><rdf:li>${said}</rdf:li></x:xmpmeta>`

describe("a card is found by the content of its file", () => {
  it.each<[string, () => Promise<Buffer>, ReadonlyArray<string>]>([
    [
      "a ZIP behind a JPEG",
      async () => Buffer.concat([await picture("jpeg"), await charx()]),
      ["expression", "avatar"]
    ],
    [
      "a ZIP behind a WebP",
      async () => Buffer.concat([await picture("webp"), await charx()]),
      ["expression", "avatar"]
    ],
    ["a ZIP behind a PNG", async () => Buffer.concat([await picture(), await charx()]), ["expression", "avatar"]],
    [
      "a ZIP behind a program",
      async () => Buffer.concat([Buffer.from("MZ\x90\0 stub"), await charx()]),
      ["expression"]
    ],
    ["a ZIP with more behind it", async () => Buffer.concat([await charx(), Buffer.alloc(50)]), ["expression"]],
    [
      "a ZIP with a folder around its files",
      async () =>
        zipOf({
          "__MACOSX/Mara/card.json": "x",
          "Mara/card.json": cardV3({ assets: [{ type: "icon", uri: "embeded://a/b.png", name: "main", ext: "png" }] }),
          "Mara/a/b.png": await picture()
        }),
      ["avatar"]
    ],
    [
      "JSON behind a byte order mark and blank lines",
      async () => Buffer.from(`\uFEFF\r\n\t ${JSON.stringify(cardV2())}`),
      []
    ],
    ["JSON in UTF-16", async () => Buffer.from(`\uFEFF${JSON.stringify(cardV2())}`, "utf16le"), []],
    [
      "a text after the pixels",
      async () => {
        const png = await picture()
        return Buffer.concat([png.subarray(0, -12), text("chara", base64(cardV2())), png.subarray(-12)])
      },
      ["avatar"]
    ],
    ["a text after the end", async () => Buffer.concat([await picture(), text("chara", base64(cardV2()))]), ["avatar"]],
    ["a compressed text", () => pngWith(compressedText("ccv3", base64(cardV3()))), ["avatar"]],
    ["a text that is not in base64", () => pngWith(internationalText("ccv3", JSON.stringify(cardV3()))), ["avatar"]],
    ["the comment of a JPEG", () => jpegWith(Buffer.from(JSON.stringify(cardV2())), 0xfe), ["avatar"]],
    ["the XMP of a JPEG", () => jpegWith(Buffer.from(xmp(base64(cardV2()))), 0xe1), ["avatar"]],
    [
      "escaped XMP",
      () => jpegWith(Buffer.from(xmp(JSON.stringify(cardV2()).replaceAll('"', "&quot;"))), 0xe1),
      ["avatar"]
    ],
    [
      "XMP escaped by numbers",
      () =>
        jpegWith(
          Buffer.from(xmp(JSON.stringify(cardV2()).replace(/["{]/g, (sign) => `&#${sign.charCodeAt(0)};`))),
          0xe1
        ),
      ["avatar"]
    ],
    [
      "the EXIF of a WebP",
      () =>
        sharp({ create: { width: 8, height: 8, channels: 3, background: "#446688" } })
          .withExif({ IFD0: { ImageDescription: JSON.stringify(cardV2()) } })
          .webp()
          .toBuffer(),
      ["avatar"]
    ]
  ])("%s", async (_, file, kinds) => {
    const found = await taken(await file(), "Mara.txt")
    assert.strictEqual(nameOf(found), "Mara")
    assert.deepStrictEqual(
      found.bundle.assets.map(({ kind }) => kind),
      kinds
    )
  })

  it("letters outside of ASCII survive in a text that is not in base64", async () => {
    const json = JSON.stringify(cardV3({ name: "Zoë 王" }))
    assert.strictEqual(nameOf(await taken(await pngWith(internationalText("ccv3", json)))), "Zoë 王")
    assert.strictEqual(nameOf(await taken(await jpegWith(Buffer.from(json), 0xfe))), "Zoë 王")
    const inNumbers = json.replaceAll('"', "&#x22;").replaceAll("王", "&#29579;")
    assert.strictEqual(nameOf(await taken(await jpegWith(Buffer.from(xmp(inNumbers)), 0xe1))), "Zoë 王")
  })

  it("paths of Windows in a ZIP are found", async () => {
    const zip = (await charx()).toString("latin1").replaceAll("assets/joy.png", "assets\\joy.png")
    assert.lengthOf((await taken(Buffer.from(zip, "latin1"))).bundle.assets, 1)
  })

  it.each([
    ["a colon", "chara-ext-asset_:0"],
    ["no colon, in older files", "chara-ext-asset_0"]
  ])("pictures that RisuAI writes into a PNG are found: %s", async (_, keyword) => {
    const assets = [{ type: "emotion", uri: "__asset:0", name: "joy", ext: "png" }]
    const file = await pngWith(text(keyword, base64(await picture())), text("ccv3", base64(cardV3({ assets }))))
    assert.deepInclude((await taken(file)).bundle.assets[0], { kind: "expression", label: "joy" })
  })
})

describe("what is too much is omitted and listed, and the card is imported", () => {
  it.each([250, 5000])("%s pictures in a CharX: the avatar and the first ones are kept", async (count) => {
    const assets = Array.from({ length: count }, (_, n) => ({
      type: n === count - 1 ? "icon" : "emotion",
      uri: `embeded://${n}.png`,
      name: `${n}`,
      ext: "png"
    }))
    const png = await picture()
    const found = await taken(
      await zipOf(
        { "card.json": cardV3({ assets }), ...Object.fromEntries(assets.map((_, n) => [`${n}.png`, png])) },
        { compress: false }
      )
    )
    assert.strictEqual(nameOf(found), "Mara")
    assert.deepStrictEqual(
      found.bundle.assets.map(({ label }) => label),
      [`${count - 1}`, ...Array.from({ length: 39 }, (_, n) => `${n}`)]
    )
    const reason = "A character has at most 40 images."
    assert.deepStrictEqual(droppedOf(found), [
      ...[39, 40, 41, 42, 43].map((n) => `data.assets[${n}]: ${reason}`),
      `assets: ${count - 45} more. ${reason}`
    ])
  })

  it("files that the card does not refer to", async () => {
    const files = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`x/${n}.json`, "{}"]))
    const found = await taken(await zipOf({ "card.json": cardV3(), "module.risum": "?", ...files }))
    const reason = "Nothing in the card refers to this file."
    assert.deepStrictEqual(droppedOf(found), [
      ...["module.risum", "x/0.json", "x/1.json", "x/2.json", "x/3.json"].map((name) => `${name}: ${reason}`),
      `files: 246 more. ${reason}`
    ])
  })

  it("hundreds of assets of an unknown kind before the avatar", async () => {
    const assets = [
      ...Array.from({ length: 300 }, (_, n) => ({
        type: "x-risu-asset",
        uri: `embeded://${n}`,
        name: "a",
        ext: "mp3"
      })),
      { type: "icon", uri: `data:image/png;base64,${base64(await picture())}`, name: "main", ext: "png" }
    ]
    const found = await taken(Buffer.from(JSON.stringify(cardV3({ assets }))))
    assert.lengthOf(found.bundle.assets, 1)
    assert.lengthOf(droppedOf(found), 6)
    assert.include(droppedOf(found)[5], "295 more. Assets of the kind x-risu-asset")
  })

  it("hundreds of pictures before the card in a PNG", async () => {
    const png = base64(await picture())
    const texts = Array.from({ length: 250 }, (_, n) => text(`chara-ext-asset_:${n}`, png))
    const found = await taken(await pngWith(...texts, text("ccv3", base64(cardV3()))))
    assert.strictEqual(nameOf(found), "Mara")
    assert.include(droppedOf(found).join("\n"), "files: 245 more.")
  })
})

describe("a file without a card is refused, with what it is and what to do", () => {
  it.each<[string, () => Promise<Buffer>, ReadonlyArray<string>]>([
    ["a JPEG", () => picture("jpeg"), ["JPEG picture without a character", "Export"]],
    ["a WebP", () => picture("webp"), ["WebP picture without a character", "Export"]],
    ["a PNG", () => picture(), ["PNG picture without a character", "Export"]],
    ["another picture", async () => Buffer.from("GIF89a......"), ["GIF picture", "Export"]],
    ["a page", async () => Buffer.from("<!doctype html><p>Not found"), ["web page", "Export"]],
    ["a ZIP", () => zipOf({ "Mara.png": "x", "notes.txt": "x" }), ["2 files (Mara.png, notes.txt)", "by itself"]],
    ["half a ZIP", async () => (await charx()).subarray(0, 300), ["truncated", "again"]],
    ["JSON of another kind", async () => Buffer.from('{"model":"x","layers":[]}'), ["fields model, layers"]],
    ["a list", async () => Buffer.from(JSON.stringify([cardV2()])), ["list", "by itself"]]
  ])("%s", async (_, file, parts) => {
    const problem = await refused(await file())
    for (const part of parts) assert.include(problem, part)
  })
})
