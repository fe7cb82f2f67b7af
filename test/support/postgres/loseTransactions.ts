import type { Pool } from "#src/db/postgres/Database.ts"

const connectionLost = () => Object.assign(new Error("write CONNECTION_CLOSED"), { code: "CONNECTION_CLOSED" })

/** A pool whose first transactions fail: `after` their commit, so that only the answer is lost, or `before` it. */
export const loseTransactions = (pool: Pool, when: "after" | "before", times: number): Pool => {
  let left = times
  return new Proxy(pool, {
    get: (target, property) =>
      property !== "begin"
        ? Reflect.get(target, property)
        : async (work: (sql: Pool) => Promise<unknown>) => {
            const lose = left-- > 0
            return target
              .begin(async (sql) => {
                const answer = await work(sql as unknown as Pool)
                if (lose && when === "before") await sql`select pg_terminate_backend(pg_backend_pid())`
                return answer
              })
              .then((answer) => {
                if (lose && when === "after") throw connectionLost()
                return answer
              })
          }
  })
}
