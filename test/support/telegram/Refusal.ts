import type { ResponseParameters } from "@grammyjs/types"

/** Telegram's refusal: thrown by a method, answered as `ok: false` with the same HTTP status. */
export class Refusal extends Error {
  readonly code: number
  readonly parameters: ResponseParameters | undefined

  constructor(code: number, description: string, parameters?: ResponseParameters) {
    super(description)
    this.code = code
    this.parameters = parameters
  }
}

export const badRequest = (reason: string, parameters?: ResponseParameters) =>
  new Refusal(400, `Bad Request: ${reason}`, parameters)
export const unauthorized = () => new Refusal(401, "Unauthorized")
export const forbidden = (reason: string) => new Refusal(403, `Forbidden: ${reason}`)
export const notFound = () => new Refusal(404, "Not Found: method not found")
export const conflict = (reason: string) => new Refusal(409, `Conflict: ${reason}`)
export const tooManyRequests = (seconds: number) =>
  new Refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds })
