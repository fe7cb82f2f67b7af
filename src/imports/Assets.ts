import type { AssetMeta, PictureKind } from "./Bundle.ts"
import { checkImage, MAX_IMAGE_BYTES } from "./checkImage.ts"
import { isPng, pictureOf } from "./pngTexts.ts"
import { isRecord, listOf, textOf } from "./readJson.ts"
import type { Report } from "./Report.ts"
import { cut } from "./Text.ts"

/** Maximum number of images of one character. */
export const MAX_IMAGES = 40
/**
 * Maximum number of images to open, accepted or not. Each reference opens its image again, however small the reference
 * is.
 */
const MAX_LOOKED_AT = 100
const MAX_BYTES = 16 * 1024 * 1024
const LONGEST_LABEL = 120

/** By the name in a card of version 3. Types outside its standard begin with x_. */
export const CARD_TYPES: Readonly<Record<PictureKind, string>> = {
  avatar: "icon",
  expression: "emotion",
  background: "background",
  portrait: "x_portrait",
  reference: "x_reference"
}
const KINDS: Readonly<Record<string, PictureKind>> = Object.fromEntries(
  Object.entries(CARD_TYPES).map(([kind, type]) => [type, kind as PictureKind])
)
/** The address of a file beside the card. RisuAI writes `__asset:` in a PNG. */
const EMBEDDED = /^(?:embed+ed:\/\/|__asset:)(.+)$/i
const DATA = /^data:image\/[\w.+-]{1,20};base64,/i

/** Access to the files that a card refers to. */
export interface AssetSource {
  /** What `ccdefault:` refers to: the picture that contains the card. */
  readonly main: Buffer | null
  /** What an `embeded://` address refers to. */
  readonly read: (path: string, mostBytes: number) => Promise<Buffer | undefined>
  /** The paths of all these files. */
  readonly files: ReadonlyArray<string>
}

export const NO_ASSETS: AssetSource = { main: null, files: [], read: async () => undefined }

const isIcon = ({ type }: { readonly type: string }): boolean => type === CARD_TYPES.avatar

const LONGEST_NAME = 80
/** The name of a file in an archive, which may contain anything. */
export const shownName = (name: string): string => cut(name.replace(/\p{C}/gu, "?"), LONGEST_NAME)

/** Collects the images that come with a card. Nothing is downloaded. */
export class Assets {
  readonly found: Array<AssetMeta> = []
  readonly images = new Map<string, Buffer>()
  readonly #report: Report
  readonly #source: AssetSource
  /** Of files that are PNGs. Thousands of references may lead to the same file. */
  readonly #pictures = new WeakMap<Buffer, Buffer>()
  readonly #surplus: Array<string> = []
  readonly #mentioned = new Set<string>()
  #bytes = 0
  #lookedAt = 0

  constructor(report: Report, source: AssetSource) {
    this.#report = report
    this.#source = source
  }

  /** Whether another image may be opened. `file` is the path of the file that it is in, if any. */
  mayOpen(path: string, file: string | undefined): boolean {
    if (file !== undefined) this.#mentioned.add(file)
    if (this.found.length < MAX_IMAGES && this.#lookedAt < MAX_LOOKED_AT) {
      this.#lookedAt++
      return true
    }
    this.#surplus.push(path)
    return false
  }

  /** Reports the images that were not opened, and the files that nothing refers to. */
  sayOmitted(): void {
    if (this.#surplus.length > 0 && this.found.length < MAX_IMAGES)
      this.#report.warn(
        "list_truncated",
        this.#surplus[0] ?? "",
        `More than ${MAX_LOOKED_AT} assets. The rest was omitted.`
      )
    this.#report.droppedAll(this.#surplus, "assets", `A character has at most ${MAX_IMAGES} images.`)
    this.#report.droppedAll(
      this.#source.files.filter((file) => !this.#mentioned.has(file)).map(shownName),
      "files",
      "Nothing in the card refers to this file."
    )
  }

  async #open(uri: string, path: string): Promise<Buffer | null> {
    if (uri === "ccdefault:") {
      if (this.#source.main === null) this.#report.dropped(path, "This file does not contain the picture of the card.")
      return this.#source.main
    }
    const inside = EMBEDDED.exec(uri)?.[1]
    if (inside !== undefined) {
      const bytes = await this.#source.read(inside, MAX_IMAGE_BYTES)
      if (bytes === undefined)
        this.#report.warn("asset_missing", path, "The picture is missing from the file, or too large.", uri)
      return bytes ?? null
    }
    if (DATA.test(uri)) return Buffer.from(uri.slice(uri.indexOf(",") + 1), "base64")
    this.#report.warn("remote_asset_skipped", path, "The picture is at a remote address, which is not fetched.", uri)
    return null
  }

  #pictureIn(file: Buffer): Buffer {
    if (!isPng(file)) return file
    const picture = this.#pictures.get(file) ?? pictureOf(file)
    this.#pictures.set(file, picture)
    return picture
  }

  async take(
    kind: PictureKind,
    label: string,
    file: Buffer,
    path: string,
    said: { readonly isPrimary?: boolean; readonly isReference?: boolean } = {}
  ): Promise<void> {
    const bytes = this.#pictureIn(file)
    if (this.#bytes + bytes.length > MAX_BYTES)
      return this.#report.dropped(path, `The images have more than ${MAX_BYTES / 1024 / 1024} MiB with this one.`)
    const checked = await checkImage(bytes)
    if (typeof checked === "string")
      return this.#report.warn("asset_rejected", path, `The image ${checked}. It was omitted.`)
    this.#bytes += bytes.length
    this.images.set(checked.sha256, bytes)
    const isPrimary = said.isPrimary ?? (kind === "avatar" && !this.found.some((other) => other.kind === "avatar"))
    this.found.push({
      kind,
      label: cut(label, LONGEST_LABEL),
      ...checked,
      is_primary: isPrimary,
      is_reference: said.isReference ?? false
    })
    this.#report.mapped(path, `assets[${this.found.length - 1}]`)
  }

  /**
   * Takes the assets that a card of version 3 lists. If it lists none, the card's picture is the avatar, unless it is
   * only a placeholder.
   */
  async takeListed(listed: unknown, at: string, isPlaceholder: boolean): Promise<void> {
    const all = listOf(listed)
      .filter(isRecord)
      .map((asset, index) => ({ asset, path: `${at}[${index}]`, type: textOf(asset["type"]) }))
    const unsupported = new Map<string, Array<string>>()
    // Where there are too many, the avatar comes first.
    const inOrder = all.length > MAX_IMAGES ? all.toSorted((a, b) => Number(isIcon(b)) - Number(isIcon(a))) : all
    for (const { asset, path, type } of inOrder) {
      const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined
      const uri = textOf(asset["uri"])
      const file = EMBEDDED.exec(uri)?.[1]
      if (kind === undefined) {
        const paths = unsupported.get(type)
        if (paths === undefined) unsupported.set(type, [path])
        else paths.push(path)
        if (file !== undefined) this.#mentioned.add(file)
        continue
      }
      if (!this.mayOpen(path, file)) continue
      const bytes = await this.#open(uri, path)
      if (bytes !== null) await this.take(kind, textOf(asset["name"]), bytes, path)
    }
    for (const [type, paths] of unsupported)
      this.#report.droppedAll(paths, at, `Assets of the kind ${cut(type, 40) || "none"} are not supported.`)
    if (this.#source.main !== null && !isPlaceholder && !this.found.some(({ kind }) => kind === "avatar"))
      await this.take("avatar", "main", this.#source.main, "png")
  }
}
