import * as Effect from "effect/Effect"
import { Database } from "#src/db/Database.ts"
import type { Routes } from "../Server.ts"

export const healthRoutes: Routes = ({ app, run }) => {
  app.get("/healthz", { config: { public: true }, schema: { hide: true } }, (_, reply) => reply.send({ status: "ok" }))

  app.get("/readyz", { config: { public: true }, schema: { hide: true } }, async (_, reply) => {
    await run(reply, Database.use(({ query }) => query((sql) => sql`select 1`)).pipe(Effect.asVoid))
    return reply.send({ status: "ready" })
  })
}
