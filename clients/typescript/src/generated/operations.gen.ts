// Generated from /openapi.json by npm run generate:client. Do not edit.
import type * as types from "./types.gen.ts"

/** Method, path, whether an Idempotency-Key is accepted, and what it takes beside its path. */
export const OPERATIONS = {
  createCharacter: ["POST", "/v1/characters", true, "body"],
  listCharacters: ["GET", "/v1/characters", false, "query"],
  getCharacter: ["GET", "/v1/characters/{slug}", false, "none"],
  updateCharacter: ["PATCH", "/v1/characters/{slug}", false, "body"],
  archiveCharacter: ["DELETE", "/v1/characters/{slug}", false, "query"],
  listCharacterVersions: ["GET", "/v1/characters/{slug}/versions", false, "query"],
  restoreCharacterVersion: ["POST", "/v1/characters/{slug}/versions/{version}/restore", true, "none"],
  getCharacterReadiness: ["GET", "/v1/characters/{slug}/readiness", false, "none"],
  probeCharacter: ["POST", "/v1/characters/{slug}/readiness/probe", true, "none"],
  exportCharacter: ["GET", "/v1/characters/{slug}/export", false, "query"],
  getLore: ["GET", "/v1/characters/{slug}/lore", false, "none"],
  replaceLore: ["PUT", "/v1/characters/{slug}/lore", false, "body"],
  createLoreEntry: ["POST", "/v1/characters/{slug}/lore", true, "body"],
  getLoreEntry: ["GET", "/v1/characters/{slug}/lore/{entry_id}", false, "none"],
  replaceLoreEntry: ["PUT", "/v1/characters/{slug}/lore/{entry_id}", false, "body"],
  deleteLoreEntry: ["DELETE", "/v1/characters/{slug}/lore/{entry_id}", false, "none"],
  listAssets: ["GET", "/v1/characters/{slug}/assets", false, "query"],
  createAsset: ["POST", "/v1/characters/{slug}/assets", true, "body"],
  getAsset: ["GET", "/v1/characters/{slug}/assets/{asset_id}", false, "none"],
  updateAsset: ["PATCH", "/v1/characters/{slug}/assets/{asset_id}", false, "body"],
  deleteAsset: ["DELETE", "/v1/characters/{slug}/assets/{asset_id}", false, "none"],
  getVisualIdentity: ["GET", "/v1/characters/{slug}/visual-identity", false, "none"],
  putVisualIdentity: ["PUT", "/v1/characters/{slug}/visual-identity", false, "body"],
  listImages: ["GET", "/v1/images", false, "query"],
  createImage: ["POST", "/v1/images", true, "body"],
  getImage: ["GET", "/v1/images/{image_id}", false, "none"],
  deleteImage: ["DELETE", "/v1/images/{image_id}", false, "none"],
  probeImages: ["POST", "/v1/images/probe", false, "none"],
  createImport: ["POST", "/v1/imports", true, "body"],
  listImports: ["GET", "/v1/imports", false, "query"],
  getImport: ["GET", "/v1/imports/{import_id}", false, "none"],
  updateImport: ["PATCH", "/v1/imports/{import_id}", false, "body"],
  commitImport: ["POST", "/v1/imports/{import_id}/commit", true, "body"],
  discardImport: ["POST", "/v1/imports/{import_id}/discard", true, "none"],
  listNpcs: ["GET", "/v1/characters/{slug}/npcs", false, "query"],
  createNpc: ["POST", "/v1/characters/{slug}/npcs", true, "body"],
  getNpc: ["GET", "/v1/characters/{slug}/npcs/{npc_id}", false, "none"],
  updateNpc: ["PATCH", "/v1/characters/{slug}/npcs/{npc_id}", false, "body"],
  deleteNpc: ["DELETE", "/v1/characters/{slug}/npcs/{npc_id}", false, "none"],
  getGraph: ["GET", "/v1/characters/{slug}/graph", false, "query"],
  createEdge: ["POST", "/v1/characters/{slug}/graph/edges", true, "body"],
  updateEdge: ["PATCH", "/v1/characters/{slug}/graph/edges/{edge_id}", false, "body"],
  invalidateEdge: ["DELETE", "/v1/characters/{slug}/graph/edges/{edge_id}", false, "none"],
  listStorylines: ["GET", "/v1/characters/{slug}/storylines", false, "query"],
  createStoryline: ["POST", "/v1/characters/{slug}/storylines", true, "body"],
  getStoryline: ["GET", "/v1/characters/{slug}/storylines/{storyline_id}", false, "none"],
  updateStoryline: ["PATCH", "/v1/characters/{slug}/storylines/{storyline_id}", false, "body"],
  deleteStoryline: ["DELETE", "/v1/characters/{slug}/storylines/{storyline_id}", false, "none"],
  listSessionStorylines: ["GET", "/v1/sessions/{session_id}/storylines", false, "none"],
  triggerStoryline: ["POST", "/v1/sessions/{session_id}/storylines/{storyline_id}/triggers", true, "body"],
  listArcInfluences: ["GET", "/v1/characters/{slug}/arc-influences", false, "query"],
  createArcInfluence: ["POST", "/v1/characters/{slug}/arc-influences", true, "body"],
  getArcInfluence: ["GET", "/v1/characters/{slug}/arc-influences/{arc_id}", false, "none"],
  updateArcInfluence: ["PATCH", "/v1/characters/{slug}/arc-influences/{arc_id}", false, "body"],
  deleteArcInfluence: ["DELETE", "/v1/characters/{slug}/arc-influences/{arc_id}", false, "none"],
  listEvidence: ["GET", "/v1/characters/{slug}/evidence", false, "query"],
  createEvidence: ["POST", "/v1/characters/{slug}/evidence", true, "body"],
  searchEvidence: ["POST", "/v1/characters/{slug}/evidence/search", false, "body"],
  getEvidence: ["GET", "/v1/characters/{slug}/evidence/{evidence_id}", false, "none"],
  retractEvidence: ["DELETE", "/v1/characters/{slug}/evidence/{evidence_id}", false, "none"],
  listResearch: ["GET", "/v1/characters/{slug}/research", false, "query"],
  createResearch: ["POST", "/v1/characters/{slug}/research", true, "body"],
  getResearch: ["GET", "/v1/characters/{slug}/research/{research_id}", false, "none"],
  cancelResearch: ["POST", "/v1/characters/{slug}/research/{research_id}/cancel", true, "none"],
  acceptFinding: ["POST", "/v1/characters/{slug}/research/{research_id}/findings/{finding_id}/accept", true, "body"],
  rejectFinding: ["POST", "/v1/characters/{slug}/research/{research_id}/findings/{finding_id}/reject", true, "none"],
  createSession: ["POST", "/v1/sessions", true, "body"],
  listSessions: ["GET", "/v1/sessions", false, "query"],
  getSession: ["GET", "/v1/sessions/{session_id}", false, "none"],
  getSessionState: ["GET", "/v1/sessions/{session_id}/state", false, "none"],
  listEndUserSessions: ["GET", "/v1/end-users/{external_user_ref}/sessions", false, "query"],
  sendMessage: ["POST", "/v1/sessions/{session_id}/messages", true, "body"],
  addHistory: ["POST", "/v1/sessions/{session_id}/history", true, "body"],
  readEvents: ["GET", "/v1/sessions/{session_id}/events", false, "query"],
  streamEvents: ["GET", "/v1/sessions/{session_id}/events/stream", false, "query"],
  createStreamToken: ["POST", "/v1/sessions/{session_id}/stream-token", false, "body"],
  readFeed: ["GET", "/v1/events", false, "query"],
  streamFeed: ["GET", "/v1/events/stream", false, "query"],
  listConsumers: ["GET", "/v1/consumers", false, "none"],
  readConsumer: ["GET", "/v1/consumers/{consumer}", false, "none"],
  putConsumer: ["PUT", "/v1/consumers/{consumer}", false, "body"],
  deleteConsumer: ["DELETE", "/v1/consumers/{consumer}", false, "none"],
  pullEvents: ["POST", "/v1/consumers/{consumer}/pull", false, "body"],
  readTrace: ["GET", "/v1/sessions/{session_id}/trace", false, "query"],
  listRuns: ["GET", "/v1/sessions/{session_id}/runs", false, "query"],
  listAppRuns: ["GET", "/v1/runs", false, "query"],
  readTimeline: ["GET", "/v1/sessions/{session_id}/timeline", false, "query"],
  readMetrics: ["GET", "/v1/metrics", false, "query"],
  getRelationshipScores: ["GET", "/v1/sessions/{session_id}/relationship-scores", false, "none"],
  listMemories: ["GET", "/v1/sessions/{session_id}/memories", false, "query"],
  createMemory: ["POST", "/v1/sessions/{session_id}/memories", true, "body"],
  getMemory: ["GET", "/v1/sessions/{session_id}/memories/{memory_id}", false, "none"],
  updateMemory: ["PATCH", "/v1/sessions/{session_id}/memories/{memory_id}", false, "body"],
  forgetMemory: ["DELETE", "/v1/sessions/{session_id}/memories/{memory_id}", false, "none"],
  searchMemories: ["POST", "/v1/sessions/{session_id}/memories/search", false, "body"],
  recall: ["POST", "/v1/sessions/{session_id}/recall", false, "body"],
  listOpenLoops: ["GET", "/v1/sessions/{session_id}/open-loops", false, "query"],
  updateOpenLoop: ["PATCH", "/v1/sessions/{session_id}/open-loops/{loop_id}", false, "body"],
  listSnapshots: ["GET", "/v1/sessions/{session_id}/snapshots", false, "query"],
  getLatestSnapshot: ["GET", "/v1/sessions/{session_id}/snapshots/latest", false, "none"],
  updateProactiveControls: ["PATCH", "/v1/sessions/{session_id}/proactive-controls", false, "body"],
  evaluateProactive: ["POST", "/v1/sessions/{session_id}/proactive/evaluate", false, "body"],
  scheduleProactiveMessage: ["POST", "/v1/sessions/{session_id}/proactive/schedule", true, "body"],
  listScheduledMessages: ["GET", "/v1/sessions/{session_id}/proactive/schedule", false, "query"],
  cancelScheduledMessage: ["DELETE", "/v1/sessions/{session_id}/proactive/schedule/{scheduled_id}", false, "none"],
  getProactivePolicy: ["GET", "/v1/apps/{app_id}/proactive-policy", false, "none"],
  updateProactivePolicy: ["PATCH", "/v1/apps/{app_id}/proactive-policy", false, "body"],
  listProactiveDecisions: ["GET", "/v1/apps/{app_id}/proactive-policy/decisions", false, "query"],
  getProactivePreferences: ["GET", "/v1/sessions/{session_id}/proactive-preferences", false, "none"],
  updateProactivePreferences: ["PATCH", "/v1/sessions/{session_id}/proactive-preferences", false, "body"],
  createSessionChannel: ["POST", "/v1/sessions/{session_id}/channels", true, "body"],
  listSessionChannels: ["GET", "/v1/sessions/{session_id}/channels", false, "query"],
  getSessionChannel: ["GET", "/v1/sessions/{session_id}/channels/{channel_id}", false, "none"],
  updateSessionChannel: ["PATCH", "/v1/sessions/{session_id}/channels/{channel_id}", false, "body"],
  deleteSessionChannel: ["DELETE", "/v1/sessions/{session_id}/channels/{channel_id}", false, "none"],
  testSessionChannel: ["POST", "/v1/sessions/{session_id}/channels/{channel_id}/test", false, "none"],
  pauseSessionChannel: ["POST", "/v1/sessions/{session_id}/channels/{channel_id}/pause", true, "none"],
  resumeSessionChannel: ["POST", "/v1/sessions/{session_id}/channels/{channel_id}/resume", true, "none"],
  replaySessionChannel: ["POST", "/v1/sessions/{session_id}/channels/{channel_id}/replay", true, "body"],
  createAppChannel: ["POST", "/v1/apps/{app_id}/channels", true, "body"],
  listAppChannels: ["GET", "/v1/apps/{app_id}/channels", false, "query"],
  getAppChannel: ["GET", "/v1/apps/{app_id}/channels/{channel_id}", false, "none"],
  updateAppChannel: ["PATCH", "/v1/apps/{app_id}/channels/{channel_id}", false, "body"],
  deleteAppChannel: ["DELETE", "/v1/apps/{app_id}/channels/{channel_id}", false, "none"],
  testAppChannel: ["POST", "/v1/apps/{app_id}/channels/{channel_id}/test", false, "none"],
  pauseAppChannel: ["POST", "/v1/apps/{app_id}/channels/{channel_id}/pause", true, "none"],
  resumeAppChannel: ["POST", "/v1/apps/{app_id}/channels/{channel_id}/resume", true, "none"],
  replayAppChannel: ["POST", "/v1/apps/{app_id}/channels/{channel_id}/replay", true, "body"],
  listDeliveries: ["GET", "/v1/sessions/{session_id}/delivery", false, "query"],
  getDelivery: ["GET", "/v1/sessions/{session_id}/delivery/{delivery_id}", false, "none"],
  retryDelivery: ["POST", "/v1/sessions/{session_id}/delivery/{delivery_id}/retry", true, "none"],
  readDeliveryEvents: ["GET", "/v1/delivery/events", false, "query"],
  createBot: ["POST", "/v1/telegram/bots", true, "body"],
  listBots: ["GET", "/v1/telegram/bots", false, "query"],
  getBot: ["GET", "/v1/telegram/bots/{bot_id}", false, "none"],
  updateBot: ["PATCH", "/v1/telegram/bots/{bot_id}", false, "body"],
  deleteBot: ["DELETE", "/v1/telegram/bots/{bot_id}", false, "none"],
  rotateBotSecret: ["POST", "/v1/telegram/bots/{bot_id}/rotate-secret", true, "none"],
  rotateBotToken: ["POST", "/v1/telegram/bots/{bot_id}/rotate-token", true, "none"],
  suspendBot: ["POST", "/v1/telegram/bots/{bot_id}/suspend", true, "none"],
  resumeBot: ["POST", "/v1/telegram/bots/{bot_id}/resume", true, "none"],
  probeBot: ["POST", "/v1/telegram/bots/{bot_id}/probe", true, "none"],
  listBotChats: ["GET", "/v1/telegram/bots/{bot_id}/chats", false, "query"],
  answerPreCheckout: ["POST", "/v1/telegram/bots/{bot_id}/answer-pre-checkout", true, "body"],
  createBotLink: ["POST", "/v1/telegram/bots/{bot_id}/links", true, "body"],
  createBotBatch: ["POST", "/v1/telegram/batches", true, "body"],
  getBotBatch: ["GET", "/v1/telegram/batches/{batch_id}", false, "none"],
  listBotBatchItems: ["GET", "/v1/telegram/batches/{batch_id}/items", false, "query"],
  printBotBatch: ["GET", "/v1/telegram/batches/{batch_id}/sheet", false, "none"],
  createEvalSuite: ["POST", "/v1/evals/suites", true, "body"],
  listEvalSuites: ["GET", "/v1/evals/suites", false, "query"],
  getEvalSuite: ["GET", "/v1/evals/suites/{suite_id}", false, "none"],
  updateEvalSuite: ["PATCH", "/v1/evals/suites/{suite_id}", false, "body"],
  deleteEvalSuite: ["DELETE", "/v1/evals/suites/{suite_id}", false, "none"],
  createEvalRun: ["POST", "/v1/evals/suites/{suite_id}/runs", true, "body"],
  listEvalRuns: ["GET", "/v1/evals/runs", false, "query"],
  getEvalRun: ["GET", "/v1/evals/runs/{run_id}", false, "none"],
  listEvalResults: ["GET", "/v1/evals/runs/{run_id}/results", false, "query"],
  compareEvalRuns: ["GET", "/v1/evals/runs/{run_id}/compare", false, "query"],
  cancelEvalRun: ["POST", "/v1/evals/runs/{run_id}/cancel", true, "none"],
  regradeEvalRun: ["POST", "/v1/evals/runs/{run_id}/regrade", true, "body"],
  listEndUsers: ["GET", "/v1/end-users", false, "query"],
  getEndUser: ["GET", "/v1/end-users/{external_user_ref}", false, "none"],
  updateEndUser: ["PATCH", "/v1/end-users/{external_user_ref}", false, "body"],
  eraseEndUser: ["DELETE", "/v1/end-users/{external_user_ref}", false, "none"],
  getErasure: ["GET", "/v1/erasures/{erasure_id}", false, "none"],
  exportEndUser: ["GET", "/v1/end-users/{external_user_ref}/export", false, "none"],
  getEndUserUsage: ["GET", "/v1/end-users/{external_user_ref}/usage", false, "query"],
  getEndUserCaps: ["GET", "/v1/end-users/{external_user_ref}/caps", false, "none"],
  updateEndUserCaps: ["PATCH", "/v1/end-users/{external_user_ref}/caps", false, "body"],
  getUsage: ["GET", "/v1/usage", false, "query"],
  getSafetyUsage: ["GET", "/v1/usage/safety", false, "query"],
  getRates: ["GET", "/v1/rates", false, "none"],
  getAppHealth: ["GET", "/v1/health", false, "none"],
  getMe: ["GET", "/v1/me", false, "none"],
  updateApp: ["PATCH", "/v1/apps/{app_id}", false, "body"],
  createSandboxKey: ["POST", "/v1/demo/sandbox-key", false, "none"]
} as const

export interface Operations {
  createCharacter: { request: types.CreateCharacterData; answers: types.CreateCharacterResponses }
  listCharacters: { request: types.ListCharactersData; answers: types.ListCharactersResponses }
  getCharacter: { request: types.GetCharacterData; answers: types.GetCharacterResponses }
  updateCharacter: { request: types.UpdateCharacterData; answers: types.UpdateCharacterResponses }
  archiveCharacter: { request: types.ArchiveCharacterData; answers: types.ArchiveCharacterResponses }
  listCharacterVersions: { request: types.ListCharacterVersionsData; answers: types.ListCharacterVersionsResponses }
  restoreCharacterVersion: { request: types.RestoreCharacterVersionData; answers: types.RestoreCharacterVersionResponses }
  getCharacterReadiness: { request: types.GetCharacterReadinessData; answers: types.GetCharacterReadinessResponses }
  probeCharacter: { request: types.ProbeCharacterData; answers: types.ProbeCharacterResponses }
  exportCharacter: { request: types.ExportCharacterData; answers: types.ExportCharacterResponses }
  getLore: { request: types.GetLoreData; answers: types.GetLoreResponses }
  replaceLore: { request: types.ReplaceLoreData; answers: types.ReplaceLoreResponses }
  createLoreEntry: { request: types.CreateLoreEntryData; answers: types.CreateLoreEntryResponses }
  getLoreEntry: { request: types.GetLoreEntryData; answers: types.GetLoreEntryResponses }
  replaceLoreEntry: { request: types.ReplaceLoreEntryData; answers: types.ReplaceLoreEntryResponses }
  deleteLoreEntry: { request: types.DeleteLoreEntryData; answers: types.DeleteLoreEntryResponses }
  listAssets: { request: types.ListAssetsData; answers: types.ListAssetsResponses }
  createAsset: { request: types.CreateAssetData; answers: types.CreateAssetResponses }
  getAsset: { request: types.GetAssetData; answers: types.GetAssetResponses }
  updateAsset: { request: types.UpdateAssetData; answers: types.UpdateAssetResponses }
  deleteAsset: { request: types.DeleteAssetData; answers: types.DeleteAssetResponses }
  getVisualIdentity: { request: types.GetVisualIdentityData; answers: types.GetVisualIdentityResponses }
  putVisualIdentity: { request: types.PutVisualIdentityData; answers: types.PutVisualIdentityResponses }
  listImages: { request: types.ListImagesData; answers: types.ListImagesResponses }
  createImage: { request: types.CreateImageData; answers: types.CreateImageResponses }
  getImage: { request: types.GetImageData; answers: types.GetImageResponses }
  deleteImage: { request: types.DeleteImageData; answers: types.DeleteImageResponses }
  probeImages: { request: types.ProbeImagesData; answers: types.ProbeImagesResponses }
  createImport: { request: types.CreateImportData; answers: types.CreateImportResponses }
  listImports: { request: types.ListImportsData; answers: types.ListImportsResponses }
  getImport: { request: types.GetImportData; answers: types.GetImportResponses }
  updateImport: { request: types.UpdateImportData; answers: types.UpdateImportResponses }
  commitImport: { request: types.CommitImportData; answers: types.CommitImportResponses }
  discardImport: { request: types.DiscardImportData; answers: types.DiscardImportResponses }
  listNpcs: { request: types.ListNpcsData; answers: types.ListNpcsResponses }
  createNpc: { request: types.CreateNpcData; answers: types.CreateNpcResponses }
  getNpc: { request: types.GetNpcData; answers: types.GetNpcResponses }
  updateNpc: { request: types.UpdateNpcData; answers: types.UpdateNpcResponses }
  deleteNpc: { request: types.DeleteNpcData; answers: types.DeleteNpcResponses }
  getGraph: { request: types.GetGraphData; answers: types.GetGraphResponses }
  createEdge: { request: types.CreateEdgeData; answers: types.CreateEdgeResponses }
  updateEdge: { request: types.UpdateEdgeData; answers: types.UpdateEdgeResponses }
  invalidateEdge: { request: types.InvalidateEdgeData; answers: types.InvalidateEdgeResponses }
  listStorylines: { request: types.ListStorylinesData; answers: types.ListStorylinesResponses }
  createStoryline: { request: types.CreateStorylineData; answers: types.CreateStorylineResponses }
  getStoryline: { request: types.GetStorylineData; answers: types.GetStorylineResponses }
  updateStoryline: { request: types.UpdateStorylineData; answers: types.UpdateStorylineResponses }
  deleteStoryline: { request: types.DeleteStorylineData; answers: types.DeleteStorylineResponses }
  listSessionStorylines: { request: types.ListSessionStorylinesData; answers: types.ListSessionStorylinesResponses }
  triggerStoryline: { request: types.TriggerStorylineData; answers: types.TriggerStorylineResponses }
  listArcInfluences: { request: types.ListArcInfluencesData; answers: types.ListArcInfluencesResponses }
  createArcInfluence: { request: types.CreateArcInfluenceData; answers: types.CreateArcInfluenceResponses }
  getArcInfluence: { request: types.GetArcInfluenceData; answers: types.GetArcInfluenceResponses }
  updateArcInfluence: { request: types.UpdateArcInfluenceData; answers: types.UpdateArcInfluenceResponses }
  deleteArcInfluence: { request: types.DeleteArcInfluenceData; answers: types.DeleteArcInfluenceResponses }
  listEvidence: { request: types.ListEvidenceData; answers: types.ListEvidenceResponses }
  createEvidence: { request: types.CreateEvidenceData; answers: types.CreateEvidenceResponses }
  searchEvidence: { request: types.SearchEvidenceData; answers: types.SearchEvidenceResponses }
  getEvidence: { request: types.GetEvidenceData; answers: types.GetEvidenceResponses }
  retractEvidence: { request: types.RetractEvidenceData; answers: types.RetractEvidenceResponses }
  listResearch: { request: types.ListResearchData; answers: types.ListResearchResponses }
  createResearch: { request: types.CreateResearchData; answers: types.CreateResearchResponses }
  getResearch: { request: types.GetResearchData; answers: types.GetResearchResponses }
  cancelResearch: { request: types.CancelResearchData; answers: types.CancelResearchResponses }
  acceptFinding: { request: types.AcceptFindingData; answers: types.AcceptFindingResponses }
  rejectFinding: { request: types.RejectFindingData; answers: types.RejectFindingResponses }
  createSession: { request: types.CreateSessionData; answers: types.CreateSessionResponses }
  listSessions: { request: types.ListSessionsData; answers: types.ListSessionsResponses }
  getSession: { request: types.GetSessionData; answers: types.GetSessionResponses }
  getSessionState: { request: types.GetSessionStateData; answers: types.GetSessionStateResponses }
  listEndUserSessions: { request: types.ListEndUserSessionsData; answers: types.ListEndUserSessionsResponses }
  sendMessage: { request: types.SendMessageData; answers: types.SendMessageResponses }
  addHistory: { request: types.AddHistoryData; answers: types.AddHistoryResponses }
  readEvents: { request: types.ReadEventsData; answers: types.ReadEventsResponses }
  streamEvents: { request: types.StreamEventsData; answers: types.StreamEventsResponses }
  createStreamToken: { request: types.CreateStreamTokenData; answers: types.CreateStreamTokenResponses }
  readFeed: { request: types.ReadFeedData; answers: types.ReadFeedResponses }
  streamFeed: { request: types.StreamFeedData; answers: types.StreamFeedResponses }
  listConsumers: { request: types.ListConsumersData; answers: types.ListConsumersResponses }
  readConsumer: { request: types.ReadConsumerData; answers: types.ReadConsumerResponses }
  putConsumer: { request: types.PutConsumerData; answers: types.PutConsumerResponses }
  deleteConsumer: { request: types.DeleteConsumerData; answers: types.DeleteConsumerResponses }
  pullEvents: { request: types.PullEventsData; answers: types.PullEventsResponses }
  readTrace: { request: types.ReadTraceData; answers: types.ReadTraceResponses }
  listRuns: { request: types.ListRunsData; answers: types.ListRunsResponses }
  listAppRuns: { request: types.ListAppRunsData; answers: types.ListAppRunsResponses }
  readTimeline: { request: types.ReadTimelineData; answers: types.ReadTimelineResponses }
  readMetrics: { request: types.ReadMetricsData; answers: types.ReadMetricsResponses }
  getRelationshipScores: { request: types.GetRelationshipScoresData; answers: types.GetRelationshipScoresResponses }
  listMemories: { request: types.ListMemoriesData; answers: types.ListMemoriesResponses }
  createMemory: { request: types.CreateMemoryData; answers: types.CreateMemoryResponses }
  getMemory: { request: types.GetMemoryData; answers: types.GetMemoryResponses }
  updateMemory: { request: types.UpdateMemoryData; answers: types.UpdateMemoryResponses }
  forgetMemory: { request: types.ForgetMemoryData; answers: types.ForgetMemoryResponses }
  searchMemories: { request: types.SearchMemoriesData; answers: types.SearchMemoriesResponses }
  recall: { request: types.RecallData; answers: types.RecallResponses }
  listOpenLoops: { request: types.ListOpenLoopsData; answers: types.ListOpenLoopsResponses }
  updateOpenLoop: { request: types.UpdateOpenLoopData; answers: types.UpdateOpenLoopResponses }
  listSnapshots: { request: types.ListSnapshotsData; answers: types.ListSnapshotsResponses }
  getLatestSnapshot: { request: types.GetLatestSnapshotData; answers: types.GetLatestSnapshotResponses }
  updateProactiveControls: { request: types.UpdateProactiveControlsData; answers: types.UpdateProactiveControlsResponses }
  evaluateProactive: { request: types.EvaluateProactiveData; answers: types.EvaluateProactiveResponses }
  scheduleProactiveMessage: { request: types.ScheduleProactiveMessageData; answers: types.ScheduleProactiveMessageResponses }
  listScheduledMessages: { request: types.ListScheduledMessagesData; answers: types.ListScheduledMessagesResponses }
  cancelScheduledMessage: { request: types.CancelScheduledMessageData; answers: types.CancelScheduledMessageResponses }
  getProactivePolicy: { request: types.GetProactivePolicyData; answers: types.GetProactivePolicyResponses }
  updateProactivePolicy: { request: types.UpdateProactivePolicyData; answers: types.UpdateProactivePolicyResponses }
  listProactiveDecisions: { request: types.ListProactiveDecisionsData; answers: types.ListProactiveDecisionsResponses }
  getProactivePreferences: { request: types.GetProactivePreferencesData; answers: types.GetProactivePreferencesResponses }
  updateProactivePreferences: { request: types.UpdateProactivePreferencesData; answers: types.UpdateProactivePreferencesResponses }
  createSessionChannel: { request: types.CreateSessionChannelData; answers: types.CreateSessionChannelResponses }
  listSessionChannels: { request: types.ListSessionChannelsData; answers: types.ListSessionChannelsResponses }
  getSessionChannel: { request: types.GetSessionChannelData; answers: types.GetSessionChannelResponses }
  updateSessionChannel: { request: types.UpdateSessionChannelData; answers: types.UpdateSessionChannelResponses }
  deleteSessionChannel: { request: types.DeleteSessionChannelData; answers: types.DeleteSessionChannelResponses }
  testSessionChannel: { request: types.TestSessionChannelData; answers: types.TestSessionChannelResponses }
  pauseSessionChannel: { request: types.PauseSessionChannelData; answers: types.PauseSessionChannelResponses }
  resumeSessionChannel: { request: types.ResumeSessionChannelData; answers: types.ResumeSessionChannelResponses }
  replaySessionChannel: { request: types.ReplaySessionChannelData; answers: types.ReplaySessionChannelResponses }
  createAppChannel: { request: types.CreateAppChannelData; answers: types.CreateAppChannelResponses }
  listAppChannels: { request: types.ListAppChannelsData; answers: types.ListAppChannelsResponses }
  getAppChannel: { request: types.GetAppChannelData; answers: types.GetAppChannelResponses }
  updateAppChannel: { request: types.UpdateAppChannelData; answers: types.UpdateAppChannelResponses }
  deleteAppChannel: { request: types.DeleteAppChannelData; answers: types.DeleteAppChannelResponses }
  testAppChannel: { request: types.TestAppChannelData; answers: types.TestAppChannelResponses }
  pauseAppChannel: { request: types.PauseAppChannelData; answers: types.PauseAppChannelResponses }
  resumeAppChannel: { request: types.ResumeAppChannelData; answers: types.ResumeAppChannelResponses }
  replayAppChannel: { request: types.ReplayAppChannelData; answers: types.ReplayAppChannelResponses }
  listDeliveries: { request: types.ListDeliveriesData; answers: types.ListDeliveriesResponses }
  getDelivery: { request: types.GetDeliveryData; answers: types.GetDeliveryResponses }
  retryDelivery: { request: types.RetryDeliveryData; answers: types.RetryDeliveryResponses }
  readDeliveryEvents: { request: types.ReadDeliveryEventsData; answers: types.ReadDeliveryEventsResponses }
  createBot: { request: types.CreateBotData; answers: types.CreateBotResponses }
  listBots: { request: types.ListBotsData; answers: types.ListBotsResponses }
  getBot: { request: types.GetBotData; answers: types.GetBotResponses }
  updateBot: { request: types.UpdateBotData; answers: types.UpdateBotResponses }
  deleteBot: { request: types.DeleteBotData; answers: types.DeleteBotResponses }
  rotateBotSecret: { request: types.RotateBotSecretData; answers: types.RotateBotSecretResponses }
  rotateBotToken: { request: types.RotateBotTokenData; answers: types.RotateBotTokenResponses }
  suspendBot: { request: types.SuspendBotData; answers: types.SuspendBotResponses }
  resumeBot: { request: types.ResumeBotData; answers: types.ResumeBotResponses }
  probeBot: { request: types.ProbeBotData; answers: types.ProbeBotResponses }
  listBotChats: { request: types.ListBotChatsData; answers: types.ListBotChatsResponses }
  answerPreCheckout: { request: types.AnswerPreCheckoutData; answers: types.AnswerPreCheckoutResponses }
  createBotLink: { request: types.CreateBotLinkData; answers: types.CreateBotLinkResponses }
  createBotBatch: { request: types.CreateBotBatchData; answers: types.CreateBotBatchResponses }
  getBotBatch: { request: types.GetBotBatchData; answers: types.GetBotBatchResponses }
  listBotBatchItems: { request: types.ListBotBatchItemsData; answers: types.ListBotBatchItemsResponses }
  printBotBatch: { request: types.PrintBotBatchData; answers: types.PrintBotBatchResponses }
  createEvalSuite: { request: types.CreateEvalSuiteData; answers: types.CreateEvalSuiteResponses }
  listEvalSuites: { request: types.ListEvalSuitesData; answers: types.ListEvalSuitesResponses }
  getEvalSuite: { request: types.GetEvalSuiteData; answers: types.GetEvalSuiteResponses }
  updateEvalSuite: { request: types.UpdateEvalSuiteData; answers: types.UpdateEvalSuiteResponses }
  deleteEvalSuite: { request: types.DeleteEvalSuiteData; answers: types.DeleteEvalSuiteResponses }
  createEvalRun: { request: types.CreateEvalRunData; answers: types.CreateEvalRunResponses }
  listEvalRuns: { request: types.ListEvalRunsData; answers: types.ListEvalRunsResponses }
  getEvalRun: { request: types.GetEvalRunData; answers: types.GetEvalRunResponses }
  listEvalResults: { request: types.ListEvalResultsData; answers: types.ListEvalResultsResponses }
  compareEvalRuns: { request: types.CompareEvalRunsData; answers: types.CompareEvalRunsResponses }
  cancelEvalRun: { request: types.CancelEvalRunData; answers: types.CancelEvalRunResponses }
  regradeEvalRun: { request: types.RegradeEvalRunData; answers: types.RegradeEvalRunResponses }
  listEndUsers: { request: types.ListEndUsersData; answers: types.ListEndUsersResponses }
  getEndUser: { request: types.GetEndUserData; answers: types.GetEndUserResponses }
  updateEndUser: { request: types.UpdateEndUserData; answers: types.UpdateEndUserResponses }
  eraseEndUser: { request: types.EraseEndUserData; answers: types.EraseEndUserResponses }
  getErasure: { request: types.GetErasureData; answers: types.GetErasureResponses }
  exportEndUser: { request: types.ExportEndUserData; answers: types.ExportEndUserResponses }
  getEndUserUsage: { request: types.GetEndUserUsageData; answers: types.GetEndUserUsageResponses }
  getEndUserCaps: { request: types.GetEndUserCapsData; answers: types.GetEndUserCapsResponses }
  updateEndUserCaps: { request: types.UpdateEndUserCapsData; answers: types.UpdateEndUserCapsResponses }
  getUsage: { request: types.GetUsageData; answers: types.GetUsageResponses }
  getSafetyUsage: { request: types.GetSafetyUsageData; answers: types.GetSafetyUsageResponses }
  getRates: { request: types.GetRatesData; answers: types.GetRatesResponses }
  getAppHealth: { request: types.GetAppHealthData; answers: types.GetAppHealthResponses }
  getMe: { request: types.GetMeData; answers: types.GetMeResponses }
  updateApp: { request: types.UpdateAppData; answers: types.UpdateAppResponses }
  createSandboxKey: { request: types.CreateSandboxKeyData; answers: types.CreateSandboxKeyResponses }
}
