import type { App } from "#src/db/tenancy/Apps.ts"

export const toAppResource = (app: App) => ({
  app_id: app.app_id,
  name: app.name,
  environment: app.environment,
  expose_relational_numerics: app.expose_relational_numerics,
  version: app.version,
  created_at: app.created_at.toISOString(),
  suspended_at: app.suspended_at?.toISOString() ?? null,
  suspended_reason: app.suspended_reason
})
