import { badRequest } from "./Refusal.ts"

export interface Upload {
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
}

const YES = new Set(["true", "yes", "1"])

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The arguments of one call. Every value is text, as in a form. JSON values are kept as JSON text. */
export class Parameters {
  readonly values = new Map<string, string>()
  readonly files = new Map<string, Upload>()

  /** The first value of a name wins. */
  add(name: string, value: string): void {
    if (!this.values.has(name)) this.values.set(name, value)
  }

  addJson(value: unknown): void {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw badRequest("object expected as reply markup")
    for (const [name, field] of Object.entries(value)) {
      if (field !== null && field !== undefined)
        this.add(name, typeof field === "string" ? field : JSON.stringify(field))
    }
  }

  has(name: string): boolean {
    return this.values.has(name)
  }

  text(name: string): string {
    return this.values.get(name) ?? ""
  }

  boolean(name: string): boolean {
    return YES.has(this.text(name).trim().toLowerCase())
  }

  /** A value that is not a number is 0, as in Telegram's own parser. */
  integer(name: string, otherwise = 0): number {
    const text = this.values.get(name)
    if (text === undefined || text === "") return otherwise
    const value = Number.parseInt(text, 10)
    return Number.isSafeInteger(value) ? value : 0
  }

  /** An object, or an object as JSON in a string. Undefined if there is none. */
  json<A>(name: string): A | undefined {
    const text = this.text(name)
    if (text === "") return undefined
    const value = parseJson(text)
    if (value === undefined) throw badRequest(`can't parse ${name} JSON object`)
    return value as A
  }

  /** The values with their JSON parsed, for the log. */
  plain(): Record<string, unknown> {
    const taken = (text: string) => (/^[[{]/.test(text) ? (parseJson(text) ?? text) : text)
    return Object.fromEntries([
      ...[...this.values].map(([name, text]) => [name, taken(text)] as const),
      ...[...this.files].map(([name, { name: file, bytes }]) => [name, { file, bytes: bytes.length }] as const)
    ])
  }
}
