import type { ApiMethods, ApiResponse } from "@grammyjs/types"
import { type FakeTelegram, type FakeTelegramOptions, startFakeTelegram } from "../support/telegram/FakeTelegram.ts"

/** Calls without a client: the request is sent as written. */
export const rawCall = async (
  telegram: FakeTelegram,
  token: string,
  method: string,
  parameters: Record<string, unknown> = {}
) => {
  const response = await fetch(`${telegram.url}/bot${token}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(parameters)
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as ApiResponse<unknown> & { readonly description?: string }
  }
}

/** A fake with one bot, and Mia, who has started it. */
export const startWithMia = async (options: FakeTelegramOptions = {}) => {
  const telegram = await startFakeTelegram({ takesAnyWebhookUrl: true, ...options })
  const bot = telegram.createBot({ username: "ada_bot", name: "Ada" })
  const mia = telegram.createUser({ first_name: "Mia" })
  telegram.start(mia, bot)
  const call = <M extends keyof ApiMethods<never>>(method: M, parameters?: Record<string, unknown>) =>
    rawCall(telegram, bot.token, method, parameters)
  /** The result of a call that must succeed. */
  const result = async <M extends keyof ApiMethods<never>>(method: M, parameters?: Record<string, unknown>) => {
    const { body } = await call(method, parameters)
    if (!body.ok) throw new Error(`${method}: ${body.description}`)
    return body.result as ReturnType<ApiMethods<never>[M]>
  }
  /** The description of a call that must be refused. */
  const refusal = async <M extends keyof ApiMethods<never>>(method: M, parameters?: Record<string, unknown>) => {
    const { body, status } = await call(method, parameters)
    if (body.ok) throw new Error(`${method}: not refused`)
    if (status !== body.error_code) throw new Error(`status ${status}, error_code ${body.error_code}`)
    return `${status} ${body.description}`
  }
  return { telegram, bot, mia, call, result, refusal }
}
