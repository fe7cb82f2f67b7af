import type { Methods } from "./operation.ts"

/** The methods of the reference, by resource. A test compares them with the operations of `/openapi.json`. */

export const characters = ({ call, list, file }: Methods) => ({
  create: call("createCharacter"),
  list: list("listCharacters", "characters"),
  get: call("getCharacter"),
  update: call("updateCharacter"),
  archive: call("archiveCharacter"),
  /** A ZIP of everything about the character. */
  export: file("exportCharacter"),
  versions: { list: list("listCharacterVersions", "versions"), restore: call("restoreCharacterVersion") },
  readiness: { get: call("getCharacterReadiness"), probe: call("probeCharacter") },
  lore: {
    get: call("getLore"),
    replace: call("replaceLore"),
    createEntry: call("createLoreEntry"),
    getEntry: call("getLoreEntry"),
    replaceEntry: call("replaceLoreEntry"),
    deleteEntry: call("deleteLoreEntry")
  },
  assets: {
    list: list("listAssets", "assets"),
    create: call("createAsset"),
    get: call("getAsset"),
    update: call("updateAsset"),
    delete: call("deleteAsset")
  },
  visualIdentity: { get: call("getVisualIdentity"), put: call("putVisualIdentity") },
  npcs: {
    list: list("listNpcs", "npcs"),
    create: call("createNpc"),
    get: call("getNpc"),
    update: call("updateNpc"),
    delete: call("deleteNpc")
  },
  graph: {
    get: call("getGraph"),
    createEdge: call("createEdge"),
    updateEdge: call("updateEdge"),
    invalidateEdge: call("invalidateEdge")
  },
  storylines: {
    list: list("listStorylines", "storylines"),
    create: call("createStoryline"),
    get: call("getStoryline"),
    update: call("updateStoryline"),
    delete: call("deleteStoryline")
  },
  arcInfluences: {
    list: list("listArcInfluences", "arc_influences"),
    create: call("createArcInfluence"),
    get: call("getArcInfluence"),
    update: call("updateArcInfluence"),
    delete: call("deleteArcInfluence")
  },
  evidence: {
    list: list("listEvidence", "evidence"),
    create: call("createEvidence"),
    search: call("searchEvidence"),
    get: call("getEvidence"),
    retract: call("retractEvidence")
  },
  research: {
    list: list("listResearch", "research"),
    create: call("createResearch"),
    get: call("getResearch"),
    cancel: call("cancelResearch"),
    acceptFinding: call("acceptFinding"),
    rejectFinding: call("rejectFinding")
  }
})

export const sessions = ({ call, list }: Methods) => ({
  create: call("createSession"),
  list: list("listSessions", "sessions"),
  get: call("getSession"),
  state: call("getSessionState"),
  relationshipScores: call("getRelationshipScores"),
  updateProactiveControls: call("updateProactiveControls"),
  timeline: call("readTimeline"),
  trace: call("readTrace"),
  runs: list("listRuns", "runs"),
  messages: { send: call("sendMessage") },
  events: { list: call("readEvents") },
  /** A token with which a browser may read the events of the session. */
  createStreamToken: call("createStreamToken"),
  /** Adds messages of a conversation that was held elsewhere, before the first one. */
  addHistory: call("addHistory"),
  /** What a turn would be given for a text. */
  recall: call("recall"),
  memories: {
    list: list("listMemories", "memories"),
    create: call("createMemory"),
    get: call("getMemory"),
    update: call("updateMemory"),
    forget: call("forgetMemory"),
    search: call("searchMemories")
  },
  openLoops: { list: list("listOpenLoops", "open_loops"), update: call("updateOpenLoop") },
  snapshots: { list: list("listSnapshots", "snapshots"), latest: call("getLatestSnapshot") },
  proactive: { evaluate: call("evaluateProactive") },
  schedule: {
    list: list("listScheduledMessages", "scheduled"),
    create: call("scheduleProactiveMessage"),
    cancel: call("cancelScheduledMessage")
  },
  proactivePreferences: { get: call("getProactivePreferences"), update: call("updateProactivePreferences") },
  storylines: { list: call("listSessionStorylines"), trigger: call("triggerStoryline") },
  channels: {
    create: call("createSessionChannel"),
    list: list("listSessionChannels", "channels"),
    get: call("getSessionChannel"),
    update: call("updateSessionChannel"),
    delete: call("deleteSessionChannel"),
    test: call("testSessionChannel"),
    pause: call("pauseSessionChannel"),
    resume: call("resumeSessionChannel"),
    replay: call("replaySessionChannel")
  },
  deliveries: { list: list("listDeliveries", "deliveries"), get: call("getDelivery"), retry: call("retryDelivery") }
})

/** Named readers of the feed, whose place the server keeps. */
export const consumers = ({ call }: Methods) => ({
  list: call("listConsumers"),
  get: call("readConsumer"),
  put: call("putConsumer"),
  delete: call("deleteConsumer"),
  pull: call("pullEvents")
})

export const endUsers = ({ call, list, file }: Methods) => ({
  list: list("listEndUsers", "end_users"),
  get: call("getEndUser"),
  update: call("updateEndUser"),
  sessions: list("listEndUserSessions", "sessions"),
  usage: call("getEndUserUsage"),
  caps: { get: call("getEndUserCaps"), update: call("updateEndUserCaps") },
  erase: call("eraseEndUser"),
  erasure: call("getErasure"),
  /** A ZIP of everything about the person, or 202 while it is prepared. */
  export: file("exportEndUser")
})

export const apps = ({ call, list }: Methods) => ({
  update: call("updateApp"),
  channels: {
    create: call("createAppChannel"),
    list: list("listAppChannels", "channels"),
    get: call("getAppChannel"),
    update: call("updateAppChannel"),
    delete: call("deleteAppChannel"),
    test: call("testAppChannel"),
    pause: call("pauseAppChannel"),
    resume: call("resumeAppChannel"),
    replay: call("replayAppChannel")
  },
  proactivePolicy: {
    get: call("getProactivePolicy"),
    update: call("updateProactivePolicy"),
    decisions: list("listProactiveDecisions", "decisions")
  }
})

export const telegram = ({ call, list, file }: Methods) => ({
  bots: {
    create: call("createBot"),
    list: list("listBots", "bots"),
    get: call("getBot"),
    update: call("updateBot"),
    delete: call("deleteBot"),
    rotateSecret: call("rotateBotSecret"),
    rotateToken: call("rotateBotToken"),
    suspend: call("suspendBot"),
    resume: call("resumeBot"),
    probe: call("probeBot"),
    chats: list("listBotChats", "chats"),
    createLink: call("createBotLink"),
    answerPreCheckout: call("answerPreCheckout")
  },
  batches: {
    create: call("createBotBatch"),
    get: call("getBotBatch"),
    items: list("listBotBatchItems", "items"),
    /** A page with the QR codes of its links. */
    sheet: file("printBotBatch")
  }
})

export const images = ({ call, list }: Methods) => ({
  create: call("createImage"),
  list: list("listImages", "images"),
  get: call("getImage"),
  delete: call("deleteImage"),
  probe: call("probeImages")
})

export const imports = ({ call, list }: Methods) => ({
  create: call("createImport"),
  list: list("listImports", "imports"),
  get: call("getImport"),
  update: call("updateImport"),
  commit: call("commitImport"),
  discard: call("discardImport")
})

export const evals = ({ call, list }: Methods) => ({
  suites: {
    create: call("createEvalSuite"),
    list: list("listEvalSuites", "suites"),
    get: call("getEvalSuite"),
    update: call("updateEvalSuite"),
    delete: call("deleteEvalSuite")
  },
  runs: {
    create: call("createEvalRun"),
    list: list("listEvalRuns", "runs"),
    get: call("getEvalRun"),
    results: list("listEvalResults", "results"),
    compare: call("compareEvalRuns"),
    cancel: call("cancelEvalRun"),
    regrade: call("regradeEvalRun")
  }
})

export const usage = ({ call }: Methods) => ({ get: call("getUsage"), safety: call("getSafetyUsage") })

/** What has no resource of its own. */
export const service = ({ call, list }: Methods) => ({
  me: call("getMe"),
  rates: call("getRates"),
  health: call("getAppHealth"),
  metrics: call("readMetrics"),
  runs: list("listAppRuns", "runs"),
  /** The operational events of deliveries and bots alone. They are also in the feed. */
  deliveryEvents: call("readDeliveryEvents"),
  createSandboxKey: call("createSandboxKey")
})
