import { budgetsTask } from "#src/jobs/billing/budgetsTask.ts"
import { reconcileTask, recountTask } from "#src/jobs/billing/ledgerTasks.ts"
import { objectsTask } from "#src/jobs/character/objectsTask.ts"
import { characterProbeTask } from "#src/jobs/character/ProbeWorker.ts"
import { imagesTask } from "#src/jobs/character/ImageWorker.ts"
import { turnTask } from "#src/jobs/conversation/turnTask.ts"
import { alignTask, expireChannelsTask, realignTask } from "#src/jobs/delivery/alignTasks.ts"
import { deliverTask } from "#src/jobs/delivery/deliverTask.ts"
import { evalsTask } from "#src/jobs/evals/EvalRunner.ts"
import { historyTask } from "#src/jobs/memory/historyTask.ts"
import { memoryExtractionTask } from "#src/jobs/memory/memoryExtractionTask.ts"
import { sandboxesTask } from "#src/jobs/privacy/clearSandboxes.ts"
import { healthTask } from "#src/jobs/operators/healthTask.ts"
import { rollupTask } from "#src/jobs/operators/rollupTask.ts"
import { erasuresTask } from "#src/jobs/privacy/erasuresTask.ts"
import { exportsTask } from "#src/jobs/privacy/ExportMaker.ts"
import { retainTask } from "#src/jobs/privacy/retainTask.ts"
import { proactiveTask } from "#src/jobs/proactive/proactiveTask.ts"
import { researchTask } from "#src/jobs/research/ResearchWorker.ts"
import { batchesTask } from "#src/jobs/telegram/BatchWorker.ts"
import { telegramTask } from "#src/jobs/telegram/UpdateWorker.ts"
import { managerTask } from "#src/jobs/telegram/managerTask.ts"
import { probeTask } from "#src/jobs/telegram/Probe.ts"
import { releaseTask } from "#src/jobs/telegram/releaseTask.ts"
import { expireTask } from "#src/jobs/tenancy/expireTask.ts"

/** All kinds of jobs that workers run. */
export const tasks = [
  alignTask,
  batchesTask,
  budgetsTask,
  deliverTask,
  erasuresTask,
  evalsTask,
  expireTask,
  exportsTask,
  healthTask,
  historyTask,
  imagesTask,
  proactiveTask,
  managerTask,
  objectsTask,
  probeTask,
  realignTask,
  expireChannelsTask,
  reconcileTask,
  recountTask,
  characterProbeTask,
  memoryExtractionTask,
  releaseTask,
  researchTask,
  retainTask,
  rollupTask,
  sandboxesTask,
  telegramTask,
  turnTask
]
