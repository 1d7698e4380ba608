/** Vendors with their own protocol; each refuses unknown fields. */

import { cohere } from './cohere-chat.ts';
import { coze, library } from './coze-and-library.ts';
import { dify, workflow } from './dify.ts';
import { ollama } from './ollama-chat.ts';
import type { App } from './vendor-protocol.ts';
import { hunyuan, wenxin } from './wenxin-and-hunyuan.ts';

export const APPS: Readonly<Record<string, App>> = {
  dify,
  workflow,
  coze,
  ollama,
  wenxin,
  hunyuan,
  library,
  cohere,
};
