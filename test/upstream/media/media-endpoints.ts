/** Endpoints for images, audio, rerank and embeddings: paths, request schemas and responses. */
import * as z from 'zod/mini';
import type { Answer } from '../answers/answer.ts';
import type { Plan } from '../plans/plan.ts';
import * as predictions from './image-tasks.ts';
import { SpeechBody, speechAnswer, TranscriptionBody, transcriptAnswer } from './openai-audio.ts';
import { EditBody, ImageBody, imageAnswer, VariationBody } from './openai-images.ts';
import * as rerank from './rerank-answer.ts';
import * as vendors from './vendor-media.ts';

export interface Medium {
  readonly schema: z.ZodMiniType | undefined;
  /** `host`: the Host header of the request, used in URLs of stored files. */
  readonly answer: (body: unknown, plan: Plan, host: string) => Answer;
  /** The model is in the path, or there is none. */
  readonly modelInPath?: true;
}

/** Receives the schema's own output; refused bodies do not reach it. */
function medium<S extends z.ZodMiniType>(
  schema: S,
  answer: (body: z.output<S>, plan: Plan, host: string) => Answer,
): Medium {
  // The body was parsed by this schema.
  return { schema, answer: (body, plan, host) => answer(body as z.output<S>, plan, host) };
}

function unnamed(one: Medium): Medium {
  return { ...one, modelInPath: true };
}

/** OpenAI's endpoints, below any of the roots. */
export const MEDIA_TAILS: Readonly<Record<string, Medium>> = {
  '/images/generations': medium(ImageBody, (body, plan) => imageAnswer(body, plan, 'generation')),
  '/images/edits': medium(EditBody, (body, plan) => imageAnswer(body, plan, 'edit')),
  '/images/variations': medium(VariationBody, (body, plan) =>
    imageAnswer({ ...body, prompt: 'as before' }, plan, 'edit'),
  ),
  '/audio/speech': medium(SpeechBody, speechAnswer),
  '/audio/transcriptions': medium(TranscriptionBody, transcriptAnswer),
  '/audio/translations': medium(TranscriptionBody, transcriptAnswer),
  '/rerank': medium(rerank.JinaBody, rerank.jinaAnswer),
};

const CLOUDFLARE = '/client/v4/accounts/acct/ai/run/@cf';
const DRAWING = '/api/v1/services/aigc/multimodal-generation/generation';
const TASK_DRAWING = '/api/v1/services/aigc/text2image/image-synthesis';
const RERANKING = '/api/v1/services/rerank/text-rerank/text-rerank';

/** Vendor endpoints, each below a root named after the vendor if the path alone is ambiguous. */
export const MEDIA_PATHS: Readonly<Record<string, Medium>> = {
  '/siliconflow/v1/images/generations': medium(vendors.SiliconflowBody, vendors.siliconflowAnswer),
  '/siliconflow/v1/rerank': medium(rerank.JinaBody, rerank.siliconflowAnswer),
  '/zhipu/api/paas/v4/images/generations': medium(vendors.ZhipuBody, vendors.zhipuAnswer),
  '/xai/v1/images/generations': medium(vendors.XaiBody, vendors.xaiAnswer),
  '/ark/api/v3/images/generations': medium(vendors.ArkBody, vendors.arkAnswer),
  '/v1/image_generation': medium(vendors.MinimaxImageBody, vendors.minimaxImageAnswer),
  '/v1/t2a_v2': medium(vendors.MinimaxSpeechBody, vendors.minimaxSpeechAnswer),
  [DRAWING]: medium(
    z.union([vendors.DashscopeImageBody, predictions.DashscopeSpeechBody]),
    (body, plan, host) =>
      'parameters' in body
        ? vendors.dashscopeImageAnswer(body, plan)
        : predictions.dashscopeSpeechAnswer(body, plan, host),
  ),
  [TASK_DRAWING]: medium(predictions.DashscopeTaskBody, predictions.dashscopeTaskAnswer),
  [RERANKING]: medium(rerank.DashscopeRerankBody, rerank.dashscopeRerankAnswer),
  '/v2/embed': medium(vendors.CohereEmbeddingBody, vendors.cohereEmbeddingAnswer),
  '/m3e/embeddings': medium(vendors.ListEmbeddingBody, vendors.listEmbeddingAnswer),
  '/voyage/v1/embeddings': medium(vendors.VoyageEmbeddingBody, vendors.voyageEmbeddingAnswer),
  '/voyage/v1/rerank': medium(rerank.VoyageRerankBody, rerank.voyageAnswer),
  '/xinference/v1/rerank': medium(rerank.XinferenceRerankBody, rerank.xinferenceAnswer),
  '/cohere/v2/rerank': medium(rerank.CohereBody, rerank.cohereAnswer),
  '/jina/v1/embeddings': medium(vendors.JinaEmbeddingBody, vendors.jinaEmbeddingAnswer),
  [`${CLOUDFLARE}/draw`]: unnamed(
    medium(vendors.CloudflareImageBody, vendors.cloudflareImageAnswer),
  ),
  [`${CLOUDFLARE}/rank`]: unnamed(
    medium(rerank.CloudflareRerankBody, rerank.cloudflareRerankAnswer),
  ),
  [`${CLOUDFLARE}/hear`]: {
    schema: undefined,
    answer: (_body, plan) => vendors.cloudflareTextAnswer(plan),
    modelInPath: true,
  },
};

export const EMBED_MEDIUM = unnamed(medium(vendors.EmbedBody, vendors.embedAnswer));

export const PREDICTION_MEDIUM = unnamed(
  medium(predictions.PredictionBody, predictions.predictionAnswer),
);

export const IMAGEN_MEDIUM = unnamed(medium(vendors.ImagenBody, vendors.imagenAnswer));
