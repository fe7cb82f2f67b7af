import type postgres from "postgres"
import { compareParameters, compareRows } from "./compare.ts"
import { describing } from "./describe.ts"
import type { Project } from "./Project.ts"
import { findStatements } from "./statements.ts"

export interface Checked {
  readonly problems: ReadonlyArray<string>
  /** How many row types were compared with the columns of their statement. */
  readonly rowTypes: number
}

/** Checks every statement of a folder, and the type of its rows, against a migrated database. */
export const checkStatements = async (project: Project, folder: string, sql: postgres.Sql): Promise<Checked> => {
  const { statements, unread } = findStatements(project, folder, sql)
  const describe = await describing(sql)
  const problems = new Set(unread)
  for (const { place, rows, forms: all } of statements)
    for (const form of all) {
      try {
        const description = await describe(form, rows !== undefined)
        const found = [
          ...(rows === undefined ? [] : compareRows(project.checker, rows, description)),
          ...compareParameters(project.checker, description)
        ]
        for (const problem of found) problems.add(`${place}: ${problem}`)
      } catch (error) {
        problems.add(`${place}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  return {
    problems: [...problems],
    rowTypes: statements.filter(({ rows }) => rows !== undefined).length
  }
}
