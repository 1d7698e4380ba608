/** The paths of endpoints for images, audio, rerank and embeddings. */
import { type Medium, medium } from './medium.ts';
import { SpeechBody, speechAnswer, TranscriptionBody, transcriptAnswer } from './openai-audio.ts';
import { EditBody, ImageBody, imageAnswer, VariationBody } from './openai-images.ts';
import * as rerank from './rerank-answer.ts';
import * as vendors from './vendor-media.ts';

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
  '/rerank': rerank.jina,
};

const CLOUDFLARE = '/client/v4/accounts/acct/ai/run/@cf';
const DASHSCOPE = '/api/v1/services';

/** Vendor endpoints, each below a root named after the vendor if the path alone is ambiguous. */
export const MEDIA_PATHS: Readonly<Record<string, Medium>> = {
  '/siliconflow/v1/images/generations': vendors.siliconflowImages,
  '/siliconflow/v1/rerank': rerank.siliconflow,
  '/zhipu/api/paas/v4/images/generations': vendors.zhipuImages,
  '/xai/v1/images/generations': vendors.xaiImages,
  '/ark/api/v3/images/generations': vendors.arkImages,
  '/v1/image_generation': vendors.minimaxImages,
  '/v1/t2a_v2': vendors.minimaxSpeech,
  [`${DASHSCOPE}/aigc/multimodal-generation/generation`]: vendors.dashscopeGeneration,
  [`${DASHSCOPE}/aigc/text2image/image-synthesis`]: vendors.dashscopeTask,
  [`${DASHSCOPE}/rerank/text-rerank/text-rerank`]: rerank.dashscope,
  '/v2/embed': vendors.cohereEmbeddings,
  '/m3e/embeddings': vendors.listEmbeddings,
  '/voyage/v1/embeddings': vendors.voyageEmbeddings,
  '/voyage/v1/rerank': rerank.voyage,
  '/xinference/v1/rerank': rerank.xinference,
  '/cohere/v2/rerank': rerank.cohere,
  '/jina/v1/embeddings': vendors.jinaEmbeddings,
  [`${CLOUDFLARE}/draw`]: vendors.cloudflareImages,
  [`${CLOUDFLARE}/rank`]: rerank.cloudflare,
  [`${CLOUDFLARE}/hear`]: vendors.cloudflareTranscript,
};
