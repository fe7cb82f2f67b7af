import { readFile } from "node:fs/promises"
import type { IncomingMessage, ServerResponse } from "node:http"
import { join } from "node:path"
import type { Controls } from "../controls.ts"
import { Refusal } from "../Refusal.ts"
import type { World } from "../World.ts"
import { actsOf } from "./acts.ts"
import { Input } from "./Input.ts"
import { chatView, listView } from "./views.ts"

const PAGE = join(import.meta.dirname, "..", "page")
const PAGE_TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml"
}
const PICTURES: ReadonlyArray<readonly [string, string]> = [
  ["89504e47", "image/png"],
  ["ffd8ff", "image/jpeg"],
  ["47494638", "image/gif"],
  ["52494646", "image/webp"]
]
const LARGEST_BODY = 20 * 1_048_576
/** Simultaneous changes are reported once. */
const QUIET_MS = 25
const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { ...HEADERS, "content-type": "application/json" }).end(JSON.stringify(body))
}

const readJson = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > LARGEST_BODY) throw new Refusal(413, "the body is too large")
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"))
  } catch {
    throw new Refusal(400, "the body is not JSON")
  }
}

/** Rejects pages of other origins: they cannot send JSON without a preflight, and do not use our host name. */
const isOurs = ({ headers, method }: IncomingMessage) =>
  /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(headers.host ?? "") &&
  (method === "GET" || headers["content-type"]?.startsWith("application/json") === true)

/** The routes under `/_sim/`: the phone, its views, and its actions. */
export class Simulator {
  readonly #world: World
  readonly #acts: ReturnType<typeof actsOf>

  constructor(world: World, controls: Controls) {
    this.#world = world
    this.#acts = actsOf(world, controls)
  }

  /** Whether the path belongs to the simulator. */
  async answer(
    path: string,
    query: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse
  ): Promise<boolean> {
    const name = path.match(/^\/_sim\/([\w.-]*)$/)?.[1]
    if (name === undefined) return false
    try {
      if (!isOurs(request)) throw new Refusal(403, "not from here")
      if (request.method === "POST") json(response, 200, (await this.#act(name, request)) ?? {})
      else await this.#show(name, query, response)
    } catch (cause) {
      json(response, cause instanceof Refusal ? cause.code : 400, {
        error: cause instanceof Error ? cause.message : String(cause)
      })
    }
    return true
  }

  async #act(name: string, request: IncomingMessage): Promise<unknown> {
    const act = Object.hasOwn(this.#acts, name) ? this.#acts[name] : undefined
    if (act === undefined) throw new Refusal(404, "no such act")
    return act(new Input(this.#world, await readJson(request)))
  }

  async #show(name: string, query: URLSearchParams, response: ServerResponse): Promise<void> {
    const input = new Input(this.#world, Object.fromEntries(query))
    switch (name) {
      case "people":
        return json(
          response,
          200,
          [...this.#world.people.values()].map(({ user }) => user)
        )
      case "list":
        return json(response, 200, listView(this.#world, input.person()))
      case "chat":
        return json(response, 200, chatView(this.#world, input.person(), input.spot()))
      case "file":
        return this.#file(input, response)
      case "events":
        return this.#events(response)
      default:
        return this.#page(name === "" ? "index.html" : name, response)
    }
  }

  async #page(name: string, response: ServerResponse): Promise<void> {
    const type = PAGE_TYPES[name.split(".").at(-1) ?? ""]
    const text = type === undefined ? undefined : await readFile(join(PAGE, name)).catch(() => undefined)
    if (type === undefined || text === undefined) throw new Refusal(404, "no such page")
    response.writeHead(200, { ...HEADERS, "content-type": type }).end(text)
  }

  /** The browser only displays pictures. It saves all other files. */
  #file(input: Input, response: ServerResponse): void {
    const id = input.optionalText("id")
    const file = id === undefined ? this.#world.files.at(input.text("path")) : this.#world.files.find(input.bot(), id)
    if (file === undefined) throw new Refusal(404, "no such file")
    const start = file.bytes.subarray(0, 4).toString("hex")
    const picture = PICTURES.find(([magic]) => start.startsWith(magic))?.[1]
    response
      .writeHead(200, {
        ...HEADERS,
        "content-type": picture ?? "application/octet-stream",
        ...(picture === undefined && { "content-disposition": "attachment" })
      })
      .end(file.bytes)
  }

  #events(response: ServerResponse): void {
    response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream" })
    response.write("data: hello\n\n")
    let timer: NodeJS.Timeout | undefined
    const unwatch = this.#world.watch(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        response.write("data: changed\n\n")
      }, QUIET_MS)
    })
    response.once("close", () => {
      clearTimeout(timer)
      unwatch()
    })
  }
}
