/** All conversions, by the names used in provider rows. */
import { cloudflareTranscriptions, minimaxSpeech } from './audio.ts';
import type { Conversion } from './conversion.ts';
import { dashscopeImages, dashscopeSpeech } from './dashscope.ts';
import {
  cohereEmbeddings,
  geminiEmbeddings,
  jinaEmbeddings,
  listEmbeddings,
  voyageEmbeddings,
} from './embeddings.ts';
import { googleImages } from './gemini-images.ts';
import {
  cloudflareImages,
  minimaxImages,
  siliconflowImages,
  volcengineImages,
  xaiImages,
  zhipuImages,
} from './images.ts';
import { replicateImages } from './replicate.ts';
import {
  cloudflareRerank,
  cohereRerank,
  dashscopeRerank,
  textRerank,
  voyageRerank,
} from './rerank.ts';

const CONVERSIONS = {
  cloudflare_images: cloudflareImages,
  cloudflare_rerank: cloudflareRerank,
  cloudflare_transcriptions: cloudflareTranscriptions,
  cohere_embeddings: cohereEmbeddings,
  cohere_rerank: cohereRerank,
  dashscope_images: dashscopeImages,
  dashscope_rerank: dashscopeRerank,
  dashscope_speech: dashscopeSpeech,
  gemini_embeddings: geminiEmbeddings,
  google_images: googleImages,
  jina_embeddings: jinaEmbeddings,
  list_embeddings: listEmbeddings,
  minimax_images: minimaxImages,
  minimax_speech: minimaxSpeech,
  replicate_images: replicateImages,
  siliconflow_images: siliconflowImages,
  text_rerank: textRerank,
  volcengine_images: volcengineImages,
  voyage_embeddings: voyageEmbeddings,
  voyage_rerank: voyageRerank,
  xai_images: xaiImages,
  zhipu_images: zhipuImages,
} as const satisfies Record<string, Conversion>;

export type ConversionName = keyof typeof CONVERSIONS;

export function conversionNamed(name: ConversionName): Conversion {
  return CONVERSIONS[name];
}
