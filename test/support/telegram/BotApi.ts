import type { ApiResponse } from "@grammyjs/types"
import type { IncomingMessage, ServerResponse } from "node:http"
import { CallLog, type LoggedCall } from "./CallLog.ts"
import type { Client } from "./Client.ts"
import { Faults, type Trouble } from "./Faults.ts"
import { Described, type Method } from "./Method.ts"
import { methods } from "./methods.ts"
import type { Parameters } from "./Parameters.ts"
import type { Rates } from "./Rates.ts"
import { readParameters } from "./readParameters.ts"
import { Crowd } from "./Crowd.ts"
import { notFound, Refusal, tooManyRequests, unauthorized } from "./Refusal.ts"
import type { World } from "./World.ts"

const LARGEST_BODY = 52 * 1_048_576
const EDGE_PAGE =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad " +
  "Gateway</h1></center>\r\n</body>\r\n</html>\r\n"
const NO_METHOD_IN_ANSWERS = /^(?:get.*|setwebhook|deletewebhook|close|logout)$/

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > LARGEST_BODY) throw new Refusal(413, "Request Entity Too Large")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const succeeded = (result: unknown): ApiResponse<unknown> & { readonly description?: string } =>
  result instanceof Described
    ? { ok: true, result: result.result, description: result.description }
    : { ok: true, result }

const failed = (cause: unknown): ApiResponse<unknown> & { readonly ok: false } => {
  const refusal =
    cause instanceof Refusal
      ? cause
      : new Refusal(500, `Internal Server Error: ${cause instanceof Error ? cause.message : String(cause)}`)
  return {
    ok: false,
    error_code: refusal.code,
    description: refusal.message,
    ...(refusal.parameters !== undefined && { parameters: refusal.parameters })
  }
}

const write = (response: ServerResponse, answer: ApiResponse<unknown>): void => {
  const retryAfter = answer.ok ? undefined : answer.parameters?.retry_after
  const headers = {
    "content-type": "application/json",
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) })
  }
  response.writeHead(answer.ok ? 200 : answer.error_code, headers).end(JSON.stringify(answer))
}

const isWellFormed = (token: string) => /^[1-9]\d{0,15}:[\w-]{1,60}$/.test(token)

/** The routes `/bot<token>/<method>` and `/file/bot<token>/<path>`. */
export class BotApi {
  readonly log = new CallLog()
  readonly faults: Faults
  readonly #world: World
  readonly #rates: Rates
  readonly #crowd: Crowd

  constructor(world: World, rates: Rates, seed: number) {
    this.#world = world
    this.#rates = rates
    this.#crowd = new Crowd(world.clock)
    this.faults = new Faults(seed)
  }

  /** Whether the path belongs to the Bot API. */
  async answer(
    path: string,
    query: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse
  ): Promise<boolean> {
    const file = path.match(/^\/file\/bot([^/]+)\/(.+)$/)
    const call = path.match(/^\/bot([^/]+)\/(?:test\/)?(\w*)$/)
    try {
      if (file !== null) this.#sendFile(file[1] ?? "", file[2] ?? "", response)
      else if (call !== null)
        await this.#call(
          this.#client(call[1] ?? ""),
          call[2] ?? "",
          await readParameters(query, request.headers["content-type"] ?? "", await readBody(request)),
          response
        )
      else return false
    } catch (cause) {
      write(response, failed(cause))
    }
    return true
  }

  #client(token: string): Client {
    if (!isWellFormed(token)) throw new Refusal(401, "Unauthorized: invalid token specified")
    const client = this.#world.clientOf(token)
    if (client?.isLoaded !== true) {
      const wait = this.#rates.takeNewToken()
      if (wait > 0) throw tooManyRequests(wait)
    }
    if (client === undefined) throw unauthorized()
    client.isLoaded = true
    if (client.loggedOutUntilMs > this.#world.clock.nowMs()) throw new Refusal(400, "Logged out")
    return client
  }

  #sendFile(token: string, path: string, response: ServerResponse): void {
    this.#client(token)
    const file = this.#world.files.at(path)
    if (file === undefined) throw new Refusal(404, "Not Found")
    response
      .writeHead(200, { "content-type": "application/octet-stream", "content-length": file.bytes.length })
      .end(file.bytes)
  }

  async #call(client: Client, asked: string, parameters: Parameters, response: ServerResponse): Promise<void> {
    const method = methods.get((asked === "" ? parameters.text("method") : asked).toLowerCase())
    const entry = this.#begin(client, method?.name ?? asked, parameters)
    const wait = this.#rates.takeCall(client.bot.id, entry.chatId)
    const trouble = wait > 0 ? undefined : this.faults.next(entry)
    entry.fault = wait > 0 ? "rate_limit" : trouble?.kind
    if (wait > 0) entry.answer = failed(tooManyRequests(wait))
    else if (trouble?.kind === "error") {
      await this.#world.clock.wait(trouble.afterMs ?? 0)
      entry.answer = failed(new Refusal(trouble.code, trouble.description, trouble.parameters))
    } else if (trouble === undefined || trouble.kind === "drop_after" || trouble.kind === "slow") {
      entry.answer = await this.#crowd.enter(
        client.bot.id,
        entry.chatId,
        async () => {
          if (trouble?.kind === "slow") await this.#world.clock.wait(trouble.ms)
          return this.#run(client, method?.run, parameters)
        },
        failed
      )
    }
    this.#end(entry)
    this.#reply(response, entry.answer, trouble)
  }

  #reply(response: ServerResponse, answer: ApiResponse<unknown> | undefined, trouble: Trouble | undefined): void {
    if (trouble?.kind === "hang") return
    if (trouble?.kind === "drop_before" || trouble?.kind === "drop_after") response.socket?.resetAndDestroy()
    else if (trouble?.kind === "nonsense")
      response.writeHead(trouble.status, { "content-type": "application/json" }).end(JSON.stringify(trouble.body))
    else if (answer === undefined) response.writeHead(502, { "content-type": "text/html" }).end(EDGE_PAGE)
    else write(response, answer)
  }

  #begin(client: Client, method: string, parameters: Parameters): LoggedCall {
    const entry = {
      method,
      botId: client.bot.id,
      chatId: parameters.values.get("chat_id"),
      parameters: parameters.plain(),
      atMs: this.#world.clock.nowMs(),
      endedAtMs: undefined,
      fault: undefined,
      answer: undefined
    }
    this.log.add(entry)
    return entry
  }

  #end(entry: LoggedCall): void {
    entry.endedAtMs = this.#world.clock.nowMs()
    this.log.ended()
  }

  async #run(client: Client, run: Method | undefined, parameters: Parameters): Promise<ApiResponse<unknown>> {
    try {
      if (run === undefined) throw notFound()
      const webhookReply = (contentType: string, body: Buffer) => void this.#answerOfWebhook(client, contentType, body)
      return succeeded(await run({ world: this.#world, client, bot: client.bot, parameters, webhookReply }))
    } catch (cause) {
      return failed(cause)
    }
  }

  /** A method in the answer to an update is executed, and its result is discarded. */
  async #answerOfWebhook(client: Client, contentType: string, body: Buffer): Promise<void> {
    const parameters = await readParameters(new URLSearchParams(), contentType, body).catch(() => undefined)
    const method = parameters?.text("method").toLowerCase() ?? ""
    if (parameters === undefined || method === "" || NO_METHOD_IN_ANSWERS.test(method)) return
    const known = methods.get(method)
    const entry = this.#begin(client, known?.name ?? method, parameters)
    entry.answer = await this.#run(client, known?.run, parameters)
    this.#end(entry)
  }
}
