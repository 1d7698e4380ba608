/**
 * Prices that new-api and Veloera have in their programs and not in their databases:
 * QuantumNous/new-api setting/ratio_setting (end of 2025), and the older part from Veloera
 * (Veloera/Veloera setting/operation_setting, May 2025). Each line is a number and the models it
 * applies to: a model ratio (1 is 2 USD per million tokens), or with `¥` CNY per thousand tokens at
 * 7.3 CNY to the USD.
 */
export const NEW_API_CNY = 500 / 7.3;

/** Shared by both. */
export const VELOERA_RATIOS = `
15 gpt-4-gizmo-* gpt-4-all gpt-4o-all gpt-4 gpt-4-0613 whisper-1 tts-1-hd tts-1-hd-1106
2.5 gpt-4o-gizmo-* chatgpt-4o-latest gpt-4o-2024-05-13 gpt-4o-realtime-preview gpt-4o-realtime-preview-2024-10-01
2.5 gpt-4o-realtime-preview-2024-12-17 gpt-image-1 grok-beta grok-vision-beta grok-3-fast-beta
30 gpt-4-32k gpt-4-32k-0613
5 gpt-4-1106-preview gpt-4-0125-preview gpt-4-turbo-preview gpt-4-vision-preview gpt-4-1106-vision-preview gpt-4-turbo gpt-4-turbo-2024-04-09
1.25 gpt-4o gpt-4o-audio-preview gpt-4o-audio-preview-2024-10-01 gpt-4o-2024-08-06 gpt-4o-2024-11-20 gemini-1.5-pro-latest command-r-plus-08-2024
0.3 gpt-4o-mini-realtime-preview gpt-4o-mini-realtime-preview-2024-12-17 grok-3-mini-fast-beta
7.5 o1 o1-2024-12-17 o1-preview o1-preview-2024-09-12 tts-1 tts-1-1106 claude-3-opus-20240229
0.55 o1-mini o1-mini-2024-09-12 o3-mini o3-mini-2025-01-31 o3-mini-high o3-mini-2025-01-31-high
0.55 o3-mini-low o3-mini-2025-01-31-low o3-mini-medium o3-mini-2025-01-31-medium
0.075 gpt-4o-mini gpt-4o-mini-2024-07-18 gemini-1.5-flash-latest command-r-08-2024
0.075 gemini-2.5-flash-preview-04-17 gemini-2.5-flash-preview-04-17-thinking gemini-2.5-flash-preview-04-17-nothinking
37.5 gpt-4.5-preview gpt-4.5-preview-2025-02-27
0.25 gpt-3.5-turbo gpt-3.5-turbo-0125 text-babbage-001 command-r
0.75 gpt-3.5-turbo-0613 gpt-3.5-turbo-instruct
1.5 gpt-3.5-turbo-16k gpt-3.5-turbo-16k-0613 command-r-plus grok-3-beta
1.5 claude-3-sonnet-20240229 claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022 claude-3-7-sonnet-20250219 claude-3-7-sonnet-20250219-thinking
0.5 gpt-3.5-turbo-1106 claude-3-5-haiku-20241022 command command-nightly command-light command-light-nightly
0.2 babbage-002 text-ada-001
1 davinci-002 text-curie-001 PaLM-2 grok-2 grok-2-vision
10 text-davinci-edit-001 code-davinci-edit-001 davinci curie babbage ada text-search-ada-doc-001 qwen-plus
0.01 text-embedding-3-small
0.065 text-embedding-3-large
0.05 text-embedding-ada-002 gemini-2.0-flash text-embedding-v1
0.1 text-moderation-stable text-moderation-latest llama-3-sonar-small-32k-chat llama-3-sonar-small-32k-online
0.4 claude-instant-1
4 claude-2.0 claude-2.1
0.125 claude-3-haiku-20240307
0.12¥ ERNIE-4.0-8K
0.012¥ ERNIE-3.5-8K ERNIE-3.5-8K-1222 ERNIE-3.5-4K-0205
0.024¥ ERNIE-3.5-8K-0205 ERNIE-Bot-8K
0.004¥ ERNIE-Speed-8K ERNIE-Speed-128K BLOOMZ-7B
0.008¥ ERNIE-Lite-8K-0922
0.003¥ ERNIE-Lite-8K-0308
0.001¥ ERNIE-Tiny-8K glm-4-air glm-4-long yi-spark
0.002¥ Embedding-V1 bge-large-zh bge-large-en tao-8k
0.625 gemini-2.5-pro-exp-03-25 gemini-2.5-pro-preview-03-25
0.001 text-embedding-004
0.3572 chatglm_turbo chatglm_std glm-3-turbo
0.7143 chatglm_pro
0.1429 chatglm_lite
7.143 glm-4 hunyuan
0.05¥ glm-4v glm-4-plus
0.1¥ glm-4-alltools glm-4-0520
0.01¥ glm-4-airx glm-4v-plus
0 glm-4-flash llama-3-sonar-large-32k-chat llama-3-sonar-large-32k-online
0.8572 qwen-turbo 360GPT_S2_V9 360gpt-turbo-responsibility-8k 360gpt-pro 360gpt2-pro
1.2858 SparkDesk-v1.1 SparkDesk-v2.1 SparkDesk-v3.1 SparkDesk-v3.5 SparkDesk-v4.0
0.0858 360gpt-turbo
0.0715 embedding-bert-512-v1 embedding_s1_v1 semantic_similarity_s1_v1
0.18 yi-34b-chat-0205
0.864 yi-34b-chat-200k
0.432 yi-vl-plus
0.02¥ yi-large yi-large-preview
0.0025¥ yi-medium
0.006¥ yi-vision
0.012¥ yi-medium-200k yi-large-turbo
0.025¥ yi-large-rag yi-large-rag-preview
0.135 deepseek-chat deepseek-coder
0.275 deepseek-reasoner
0.15 grok-3-mini-beta
`;

/** Additional entries of new-api. */
export const NEW_API_RATIOS = `
1 gpt-4.1 gpt-4.1-2025-04-14 o3 o3-2025-04-16 o4-mini-deep-research o4-mini-deep-research-2025-06-26
0.2 gpt-4.1-mini gpt-4.1-mini-2025-04-14
0.05 gpt-4.1-nano gpt-4.1-nano-2025-04-14 gemini-2.5-flash-lite-preview-thinking-* gemini-2.5-flash-lite-preview-06-17
75 o1-pro o1-pro-2025-03-19
10 o3-pro o3-pro-2025-06-10
5 o3-deep-research o3-deep-research-2025-06-26
0.55 o4-mini o4-mini-2025-04-16
0.625 gpt-5 gpt-5-2025-08-07 gpt-5-chat-latest gemini-2.5-pro gemini-2.5-pro-thinking-*
0.125 gpt-5-mini gpt-5-mini-2025-08-07
0.025 gpt-5-nano gpt-5-nano-2025-08-07
0.5 claude-haiku-4-5-20251001 openai/gpt-oss-120b
1.5 claude-sonnet-4-20250514 claude-sonnet-4-5-20250929
2.5 claude-opus-4-5-20251101
7.5 claude-opus-4-20250514 claude-opus-4-1-20250805
0.075 gemini-2.5-flash-preview-05-20 gemini-2.5-flash-preview-05-20-thinking gemini-2.5-flash-preview-05-20-nothinking
0.075 gemini-2.5-flash-thinking-* gemini-embedding-001
0.15 gemini-2.5-flash gemini-robotics-er-1.5-preview
0.8 NousResearch/Hermes-4-405B-FP8 Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8 zai-org/GLM-4.5-FP8 deepseek-ai/DeepSeek-R1-0528
0.8 deepseek-ai/DeepSeek-R1 deepseek-ai/DeepSeek-V3-0324 deepseek-ai/DeepSeek-V3.1
0.6 Qwen/Qwen3-235B-A22B-Thinking-2507
0.3 Qwen/Qwen3-235B-A22B-Instruct-2507
`;

/** USD per call, shared by both; these take precedence over ratios. */
export const VELOERA_PRICES = `
0.1 suno_music gpt-4-gizmo-* mj_imagine mj_variation mj_reroll mj_blend mj_modal mj_zoom mj_shorten
0.1 mj_high_variation mj_low_variation mj_pan
0.01 suno_lyrics
0.04 dall-e-3
0.03 imagen-3.0-generate-002
0 mj_inpaint mj_custom_zoom
0.05 mj_describe mj_upscale swap_face mj_upload
`;

/** Additional entries of new-api. */
export const NEW_API_PRICES = `
0.04 black-forest-labs/flux-1.1-pro
0.8 mj_video
0.1 mj_edits
0.3 sora-2 gpt-4o-mini-tts
0.5 sora-2-pro
`;
