import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { tables } from "#src/composition/tables.ts"
import { read } from "#src/accounts/credential.ts"
import { OPERATOR_ROLES } from "#src/accounts/Operator.ts"
import { type OperatorToken, OperatorTokens } from "#src/db/operators/OperatorTokens.ts"
import { MAX_TOKEN_DAYS } from "#src/http/operators/operatorAccessSchemas.ts"
import { isTokenPrefix, toOperatorToken } from "#src/http/operators/operatorTokenResource.ts"
import * as check from "#src/settings/checks.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runCommand } from "#src/commands/terminal/run.ts"

/** Number of tokens per query. */
const PAGE_SIZE = 500

const layer = OperatorTokens.layer.pipe(Layer.provide(tables))

const readName = (name: string) =>
  name.trim() !== "" && [...name].length <= 80
    ? Effect.succeed(name)
    : Effect.fail(new BadArgument({ problem: "NAME must be 1 to 80 characters" }))

/** `troupe operator token create NAME --role ROLE [--days N]` */
export const createToken = (args: {
  readonly name: string
  readonly role: string
  readonly days: string | undefined
}) =>
  runCommand(
    Effect.gen(function* () {
      const name = yield* readName(args.name)
      const role = yield* check.oneOf("--role", args.role, OPERATOR_ROLES)
      const days = yield* check.whole("--days", args.days ?? "90", 1, MAX_TOKEN_DAYS)
      const { secret, ...token } = yield* OperatorTokens.use((tokens) => tokens.create({ name, role, days })).pipe(
        Effect.provide(layer)
      )
      print(JSON.stringify({ ...toOperatorToken(token, yield* Clock.currentTimeMillis), token: secret }))
    })
  )

/** `troupe operator token list`: newest first, including ended ones. */
export const listTokens = () =>
  runCommand(
    Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const tokens = yield* OperatorTokens
      const listed: Array<object> = []
      for (let before: string | null | undefined = null; before !== undefined;) {
        const page: ReadonlyArray<OperatorToken> = yield* tokens.list({ before, limit: PAGE_SIZE })
        listed.push(...page.map((token) => toOperatorToken(token, nowMs)))
        before = page.length === PAGE_SIZE ? page.at(-1)?.prefix : undefined
      }
      print(JSON.stringify({ tokens: listed }))
    }).pipe(Effect.provide(layer))
  )

/** `troupe operator token revoke PREFIX`. People in a hurry pass the whole token. */
export const revokeToken = (args: { readonly prefix: string }) =>
  runCommand(
    Effect.gen(function* () {
      const prefix = read("op_", args.prefix)?.prefix ?? args.prefix
      if (!isTokenPrefix(prefix))
        return yield* new BadArgument({
          problem: "PREFIX must be the first 11 characters of a token, or a whole token"
        })
      const revoked = yield* OperatorTokens.use((tokens) => tokens.revoke(prefix)).pipe(Effect.provide(layer))
      if (revoked === undefined)
        return yield* new BadArgument({ problem: `there is no operator token with the prefix ${prefix}` })
      print(JSON.stringify({ prefix, revoked: true }))
    })
  )
