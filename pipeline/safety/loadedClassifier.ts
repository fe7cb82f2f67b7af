import { Classifier, readWeights } from "./classifier/Classifier.ts"

/** The safety classifier, which is read once per process. */
export const classifier = new Classifier(readWeights())
