/**
 * Prices that one-api has in its program and not in its database, as of early 2025
 * (songquanpeng/one-api, relay/billing/ratio). Each line is a number and the models it applies to:
 * a model ratio (1 is 2 USD per million tokens), or with `¥` CNY per thousand tokens, of which
 * one-api takes 71 for a ratio of 1,000 (7 CNY to the USD, in integers).
 */
export const ONE_API_CNY = 71;

export const ONE_API_RATIOS = `
15 gpt-4 gpt-4-0314 gpt-4-0613 whisper-1 tts-1-hd tts-1-hd-1106
30 gpt-4-32k gpt-4-32k-0314 gpt-4-32k-0613
5 gpt-4-1106-preview gpt-4-0125-preview gpt-4-turbo-preview gpt-4-turbo gpt-4-turbo-2024-04-09 gpt-4-vision-preview
2.5 gpt-4o chatgpt-4o-latest gpt-4o-2024-05-13 grok-beta
1.25 gpt-4o-2024-08-06 gpt-4o-2024-11-20
0.075 gpt-4o-mini gpt-4o-mini-2024-07-18
0.25 gpt-3.5-turbo gpt-3.5-turbo-0125 text-babbage-001 command-r
0.75 gpt-3.5-turbo-0301 gpt-3.5-turbo-0613 gpt-3.5-turbo-instruct
1.5 gpt-3.5-turbo-16k gpt-3.5-turbo-16k-0613 o1-mini o1-mini-2024-09-12 o3-mini o3-mini-2025-01-31
0.5 gpt-3.5-turbo-1106 command command-nightly command-light command-light-nightly
7.5 o1 o1-2024-12-17 o1-preview o1-preview-2024-09-12 tts-1 tts-1-1106
1 davinci-002 text-curie-001 aqa mistral-small-latest
0.2 babbage-002 text-ada-001
10 text-davinci-002 text-davinci-003 text-davinci-edit-001 code-davinci-edit-001 davinci curie babbage ada text-search-ada-doc-001
0.05 text-embedding-ada-002 mistral-embed
0.01 text-embedding-3-small
0.065 text-embedding-3-large
0.1 text-moderation-stable text-moderation-latest
0.4 claude-instant-1.2
4 claude-2.0 claude-2.1 mistral-large-latest
0.125 claude-3-haiku-20240307 open-mistral-7b
0.5 claude-3-5-haiku-20241022 claude-3-5-haiku-latest
1.5 claude-3-sonnet-20240229 claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022 claude-3-5-sonnet-latest command-r-plus
7.5 claude-3-opus-20240229
0.12¥ ERNIE-4.0-8K
0.012¥ ERNIE-3.5-8K ERNIE-3.5-8K-1222 ERNIE-3.5-4K-0205
0.024¥ ERNIE-3.5-8K-0205 ERNIE-Bot-8K
0.004¥ ERNIE-Speed-8K ERNIE-Speed-128K BLOOMZ-7B
0.008¥ ERNIE-Lite-8K-0922
0.003¥ ERNIE-Lite-8K-0308
0.001¥ ERNIE-Tiny-8K
0.002¥ Embedding-V1 bge-large-zh bge-large-en tao-8k
0.125 gemini-pro
0.0625 gemini-1.0-pro
0.625 gemini-1.5-pro gemini-1.5-pro-001 gemini-1.5-pro-experimental gemini-2.0-pro-exp-02-05
0.0375 gemini-1.5-flash gemini-1.5-flash-001 gemini-2.0-flash-exp gemini-2.0-flash-lite-preview-02-05 gemini-2.0-flash-thinking-exp-01-21
0.01875 gemini-1.5-flash-8b
0.075 gemini-2.0-flash gemini-2.0-flash-001
0.01¥ glm-zero-preview glm-4-airx
0.05¥ glm-4-plus glm-4v
0.1¥ glm-4-0520 glm-4
0.0005¥ glm-4-air embedding-2 embedding-3
0.001¥ glm-4-long glm-3-turbo charglm-4
0.0001¥ glm-4-flashx codegeex-4
0 glm-4-flash glm-4v-flash
0.004¥ glm-4v-plus
0.015¥ emohaa
0.0003¥ qwen-turbo qwen-turbo-latest
0.0008¥ qwen-plus qwen-plus-latest
0.0024¥ qwen-max qwen-max-latest
0.0005¥ qwen-max-longcontext
0.003¥ qwen-vl-max qwen-vl-max-latest
0.0015¥ qwen-vl-plus qwen-vl-plus-latest
0.005¥ qwen-vl-ocr qwen-vl-ocr-latest
1.4286 qwen-audio-turbo
0.004¥ qwen-math-plus qwen-math-plus-latest
0.002¥ qwen-math-turbo qwen-math-turbo-latest
0.0035¥ qwen-coder-plus qwen-coder-plus-latest
0.002¥ qwen-coder-turbo qwen-coder-turbo-latest
0.015¥ qwen-mt-plus
0.001¥ qwen-mt-turbo
0.002¥ qwq-32b-preview
0.004¥ qwen2.5-72b-instruct qwen2-72b-instruct
0.03¥ qwen2.5-32b-instruct
0.001¥ qwen2.5-14b-instruct qwen2-7b-instruct qwen2-1.5b-instruct qwen2-0.5b-instruct
0.0005¥ qwen2.5-7b-instruct
0.006¥ qwen2.5-3b-instruct
0.0003¥ qwen2.5-1.5b-instruct qwen2.5-0.5b-instruct
0.0035¥ qwen2-57b-a14b-instruct qwen1.5-32b-chat
0.007¥ qwen1.5-110b-chat
0.005¥ qwen1.5-72b-chat
0.002¥ qwen1.5-14b-chat
0.001¥ qwen1.5-7b-chat qwen1.5-1.8b-chat qwen1.5-0.5b-chat
0.02¥ qwen-72b-chat
0.008¥ qwen-14b-chat
0.006¥ qwen-7b-chat qwen-1.8b-chat qwen-1.8b-longcontext-chat
0.012¥ qvq-72b-preview
0.016¥ qwen2.5-vl-72b-instruct qwen2-vl-7b-instruct
0.002¥ qwen2.5-vl-7b-instruct qwen2-vl-2b-instruct qwen-vl-v1 qwen-vl-chat-v1 qwen2-audio-instruct qwen-audio-chat
0.0012¥ qwen2.5-vl-3b-instruct
0.004¥ qwen2.5-math-72b-instruct qwen2-math-72b-instruct
0.001¥ qwen2.5-math-7b-instruct qwen2.5-math-1.5b-instruct qwen2-math-7b-instruct qwen2-math-1.5b-instruct
0.002¥ qwen2.5-coder-32b-instruct qwen2.5-coder-14b-instruct
0.001¥ qwen2.5-coder-7b-instruct qwen2.5-coder-3b-instruct qwen2.5-coder-1.5b-instruct qwen2.5-coder-0.5b-instruct
0.0007¥ text-embedding-v1 text-embedding-v3 text-embedding-v2 text-embedding-async-v2 text-embedding-async-v1
0.002¥ deepseek-r1 deepseek-r1-distill-qwen-32b
0.001¥ deepseek-v3 deepseek-r1-distill-qwen-1.5b deepseek-r1-distill-qwen-14b
0.0005¥ deepseek-r1-distill-qwen-7b deepseek-r1-distill-llama-8b
0.004¥ deepseek-r1-distill-llama-70b
1.2858 SparkDesk SparkDesk-v1.1 SparkDesk-v2.1 SparkDesk-v3.1 SparkDesk-v3.1-128K SparkDesk-v3.5 SparkDesk-v3.5-32K SparkDesk-v4.0
0.8572 360GPT_S2_V9
0.0715 embedding-bert-512-v1 embedding_s1_v1 semantic_similarity_s1_v1
0.015¥ hunyuan-turbo
0.004¥ hunyuan-large hunyuan-role hunyuan-functioncall hunyuan-code
0.006¥ hunyuan-large-longcontext
0.0008¥ hunyuan-standard
0.0005¥ hunyuan-standard-256K
0.005¥ hunyuan-translation-lite
0.08¥ hunyuan-turbo-vision
0.018¥ hunyuan-vision
0.0007¥ hunyuan-embedding
0.012¥ moonshot-v1-8k
0.024¥ moonshot-v1-32k
0.06¥ moonshot-v1-128k
0.008¥ Baichuan2-Turbo
0.016¥ Baichuan2-Turbo-192k
0.02¥ Baichuan2-53B
0.03¥ abab6.5-chat
0.01¥ abab6.5s-chat
0.1¥ abab6-chat
0.015¥ abab5.5-chat
0.005¥ abab5.5s-chat
0.35 open-mixtral-8x7b
1.35 mistral-medium-latest
0.000035 gemma-7b-it
0.0001 gemma2-9b-it
0.000295 llama-3.1-70b-versatile llama-3.2-90b-text-preview llama3-70b-8192
0.000025 llama-3.1-8b-instant llama-3.2-11b-text-preview llama-3.2-11b-vision-preview llama-3.2-1b-preview llama-3.2-3b-preview llama-guard-3-8b llama3-8b-8192
0.000445 llama3-groq-70b-8192-tool-use-preview
0.000095 llama3-groq-8b-8192-tool-use-preview
0.00012 mixtral-8x7b-32768
0.0025¥ yi-34b-chat-0205
0.012¥ yi-34b-chat-200k
0.006¥ yi-vl-plus
0.000005¥ step-1-8k step-1v-8k
0.000015¥ step-1-32k step-1v-32k
0.00004¥ step-1-128k
0.000095¥ step-1-256k
0.000001¥ step-1-flash
0.000038¥ step-2-16k
0.07 deepseek-chat
0.275 deepseek-reasoner
12.5 deepl-zh deepl-en deepl-ja
50 ibm-granite/granite-20b-code-instruct-8k meta/llama-2-13b meta/llama-2-13b-chat
15 ibm-granite/granite-3.0-2b-instruct
25 ibm-granite/granite-3.0-8b-instruct ibm-granite/granite-8b-code-instruct-128k meta/llama-2-7b meta/llama-2-7b-chat
25 meta/meta-llama-3-8b meta/meta-llama-3-8b-instruct mistralai/mistral-7b-instruct-v0.2 mistralai/mistral-7b-v0.1
325 meta/llama-2-70b meta/llama-2-70b-chat meta/meta-llama-3-70b meta/meta-llama-3-70b-instruct
4750 meta/meta-llama-3.1-405b-instruct
150 mistralai/mixtral-8x7b-instruct-v0.1
1.5 01-ai/yi-large anthracite-org/magnum-v2-72b sao10k/l3.1-70b-hanami-x1
0.6 aetherwiing/mn-starcannon-12b databricks/dbrx-instruct infermatic/mn-inferor-12b nothingiisreal/mn-celeste-12b
0.6 pygmalionai/mythalion-13b qwen/qwen-plus sao10k/fimbulvetr-11b-v2 undi95/remm-slerp-l2-13b
4 ai21/jamba-1-5-large
0.2 ai21/jamba-1-5-mini google/gemini-2.0-flash-001 meta-llama/llama-3-70b-instruct qwen/qwen-2-vl-72b-instruct qwen/qwen-2.5-72b-instruct
0.35 ai21/jamba-instruct
6 aion-labs/aion-1.0
1.2 aion-labs/aion-1.0-mini deepseek/deepseek-r1
0.1 aion-labs/aion-rp-llama-3.1-8b meta-llama/llama-guard-2-8b mistralai/mistral-7b-instruct-v0.1 qwen/qwen-turbo
0.1 perplexity/llama-3.1-sonar-small-128k-chat perplexity/llama-3.1-sonar-small-128k-online
5 allenai/llama-3.1-tulu-3-405b inflection/inflection-3-pi inflection/inflection-3-productivity
5 openai/gpt-4o openai/gpt-4o-2024-08-06 openai/gpt-4o-2024-11-20 x-ai/grok-2-1212 x-ai/grok-2-vision-1212
4.6875 alpindale/goliath-120b
1.125 alpindale/magnum-72b anthracite-org/magnum-v4-72b mancer/weaver neversleep/noromaid-20b
0.12 amazon/nova-lite-v1 mistralai/mixtral-8x7b-instruct
0.07 amazon/nova-micro-v1 microsoft/phi-4 mistralai/mistral-small-24b-instruct-2501
1.6 amazon/nova-pro-v1
12 anthropic/claude-2 anthropic/claude-2.0 anthropic/claude-2.0:beta anthropic/claude-2.1 anthropic/claude-2.1:beta anthropic/claude-2:beta
0.625 anthropic/claude-3-haiku anthropic/claude-3-haiku:beta
37.5 anthropic/claude-3-opus anthropic/claude-3-opus:beta
7.5 anthropic/claude-3-sonnet anthropic/claude-3-sonnet:beta anthropic/claude-3.5-sonnet anthropic/claude-3.5-sonnet-20240620
7.5 anthropic/claude-3.5-sonnet-20240620:beta anthropic/claude-3.5-sonnet:beta openai/chatgpt-4o-latest openai/gpt-4o-2024-05-13
7.5 x-ai/grok-beta x-ai/grok-vision-beta
2 anthropic/claude-3.5-haiku anthropic/claude-3.5-haiku-20241022 anthropic/claude-3.5-haiku-20241022:beta anthropic/claude-3.5-haiku:beta
0.45 cognitivecomputations/dolphin-mixtral-8x22b meta-llama/llama-2-70b-chat mistralai/codestral-2501 mistralai/mixtral-8x22b-instruct qwen/qwen-2-72b-instruct
0.25 cognitivecomputations/dolphin-mixtral-8x7b jondurbin/airoboros-l2-70b microsoft/wizardlm-2-8x22b qwen/qvq-72b-preview thedrummer/rocinante-12b thedrummer/unslopnemo-12b
0.95 cohere/command
0.7125 cohere/command-r cohere/command-r-03-2024
0.285 cohere/command-r-08-2024
7.125 cohere/command-r-plus cohere/command-r-plus-04-2024
4.75 cohere/command-r-plus-08-2024
0.075 cohere/command-r7b-12-2024 deepseek/deepseek-r1-distill-qwen-14b google/gemini-flash-1.5-8b google/gemma-7b-it liquid/lfm-40b
0.445 deepseek/deepseek-chat
1 deepseek/deepseek-chat-v2.5 google/palm-2-chat-bison google/palm-2-chat-bison-32k google/palm-2-codechat-bison google/palm-2-codechat-bison-32k
1 meta-llama/llama-3.1-405b openai/gpt-3.5-turbo-0613 openai/gpt-3.5-turbo-1106 openai/gpt-3.5-turbo-instruct
0.345 deepseek/deepseek-r1-distill-llama-70b
0.02 deepseek/deepseek-r1-distill-llama-8b mistralai/ministral-3b nousresearch/hermes-2-pro-llama-3-8b
0.09 deepseek/deepseek-r1-distill-qwen-1.5b deepseek/deepseek-r1-distill-qwen-32b qwen/qwq-32b-preview
0 deepseek/deepseek-chat:free deepseek/deepseek-r1-distill-llama-70b:free deepseek/deepseek-r1:free google/gemini-2.0-flash-exp:free
0 google/gemini-2.0-flash-lite-preview-02-05:free google/gemini-2.0-flash-thinking-exp-1219:free google/gemini-2.0-flash-thinking-exp:free
0 google/gemini-2.0-pro-exp-02-05:free google/gemini-exp-1206:free google/gemini-flash-1.5-8b-exp google/gemma-2-9b-it:free
0 google/learnlm-1.5-pro-experimental:free gryphe/mythomax-l2-13b:free huggingfaceh4/zephyr-7b-beta:free meta-llama/llama-3-8b-instruct:free
0 meta-llama/llama-3.2-11b-vision-instruct:free meta-llama/llama-3.3-70b-instruct:free microsoft/phi-3-medium-128k-instruct:free
0 microsoft/phi-3-mini-128k-instruct:free mistralai/mistral-7b-instruct:free mistralai/mistral-nemo:free
0 mistralai/mistral-small-24b-instruct-2501:free nvidia/llama-3.1-nemotron-70b-instruct:free openchat/openchat-7b:free
0 qwen/qwen-2-7b-instruct:free qwen/qwen-vl-plus:free qwen/qwen2.5-vl-72b-instruct:free sophosympatheia/rogue-rose-103b-v0.2:free undi95/toppy-m-7b:free
3 eva-unit-01/eva-llama-3.33-70b eva-unit-01/eva-qwen-2.5-72b mistralai/mistral-large mistralai/mistral-large-2407 mistralai/mistral-large-2411 mistralai/pixtral-large-2411
1.7 eva-unit-01/eva-qwen-2.5-32b
0.15 google/gemini-flash-1.5 meta-llama/llama-3.1-70b-instruct meta-llama/llama-3.3-70b-instruct nousresearch/hermes-3-llama-3.1-70b nvidia/llama-3.1-nemotron-70b-instruct
0.75 google/gemini-pro google/gemini-pro-vision openai/gpt-3.5-turbo openai/gpt-3.5-turbo-0125
2.5 google/gemini-pro-1.5 perplexity/llama-3.1-sonar-huge-128k-online perplexity/sonar-reasoning
0.135 google/gemma-2-27b-it
0.03 google/gemma-2-9b-it meta-llama/llama-3-8b-instruct sao10k/l3-lunaris-8b
0.0325 gryphe/mythomax-l2-13b
0.01 liquid/lfm-3b
0.005 liquid/lfm-7b meta-llama/llama-3.2-1b-instruct
0.11 meta-llama/llama-2-13b-chat
0.4 meta-llama/llama-3.1-405b-instruct nousresearch/hermes-3-llama-3.1-405b sao10k/l3-euryale-70b sao10k/l3.1-euryale-70b sao10k/l3.3-euryale-70b sophosympatheia/midnight-rose-70b
0.025 meta-llama/llama-3.1-8b-instruct qwen/qwen-2.5-7b-instruct
0.0275 meta-llama/llama-3.2-11b-vision-instruct mistralai/mistral-7b-instruct mistralai/mistral-7b-instruct-v0.3 openchat/openchat-7b
0.0125 meta-llama/llama-3.2-3b-instruct
0.8 meta-llama/llama-3.2-90b-vision-instruct
0.5 microsoft/phi-3-medium-128k-instruct perplexity/llama-3.1-sonar-large-128k-chat perplexity/llama-3.1-sonar-large-128k-online perplexity/sonar
0.05 microsoft/phi-3-mini-128k-instruct microsoft/phi-3.5-mini-128k-instruct mistralai/ministral-8b mistralai/pixtral-12b qwen/qwen-2-vl-7b-instruct
0.035 microsoft/wizardlm-2-7b undi95/toppy-m-7b
0.55 minimax/minimax-01
0.125 mistralai/codestral-mamba mistralai/mistral-tiny
4.05 mistralai/mistral-medium
0.04 mistralai/mistral-nemo
0.3 mistralai/mistral-small mistralai/mixtral-8x7b nousresearch/nous-hermes-2-mixtral-8x7b-dpo openai/gpt-4o-mini openai/gpt-4o-mini-2024-07-18
2.25 neversleep/llama-3-lumimaid-70b neversleep/llama-3.1-lumimaid-70b raifle/sorcererlm-8x22b
0.5625 neversleep/llama-3-lumimaid-8b neversleep/llama-3-lumimaid-8b:extended neversleep/llama-3.1-lumimaid-8b
0.085 nousresearch/nous-hermes-llama2-13b teknium/openhermes-2.5-mistral-7b
2 openai/gpt-3.5-turbo-16k
30 openai/gpt-4 openai/gpt-4-0314 openai/o1 openai/o1-preview openai/o1-preview-2024-09-12
15 openai/gpt-4-1106-preview openai/gpt-4-turbo openai/gpt-4-turbo-preview
60 openai/gpt-4-32k openai/gpt-4-32k-0314
9 openai/gpt-4o:extended
2.2 openai/o1-mini openai/o1-mini-2024-09-12 openai/o3-mini openai/o3-mini-high
0.027 qwen/qwen-2-7b-instruct
0.08 qwen/qwen-2.5-coder-32b-instruct
3.2 qwen/qwen-max
1.875 xwin-lm/xwin-lm-70b
`;

/** USD per image: one-api charges a thousand times the ratio for each. */
export const ONE_API_PICTURES = `
0.02 dall-e-2 black-forest-labs/flux-schnell-lora
0.04 dall-e-3 black-forest-labs/flux-1.1-pro black-forest-labs/flux-fill-dev recraft-ai/recraft-v3 stability-ai/stable-diffusion-3.5-large-turbo
0.06 black-forest-labs/flux-1.1-pro-ultra
0.025 black-forest-labs/flux-canny-dev black-forest-labs/flux-depth-dev black-forest-labs/flux-dev black-forest-labs/flux-redux-dev
0.05 black-forest-labs/flux-canny-pro black-forest-labs/flux-depth-pro black-forest-labs/flux-fill-pro ideogram-ai/ideogram-v2-turbo
0.032 black-forest-labs/flux-dev-lora
0.055 black-forest-labs/flux-pro
0.003 black-forest-labs/flux-redux-schnell black-forest-labs/flux-schnell
0.08 ideogram-ai/ideogram-v2 recraft-ai/recraft-v3-svg
0.035 stability-ai/stable-diffusion-3 stability-ai/stable-diffusion-3.5-medium
0.065 stability-ai/stable-diffusion-3.5-large
0.016 ali-stable-diffusion-xl ali-stable-diffusion-v1.5 wanx-v1
0.0142 cogview-3
0.00852 cogview-3-plus
0.071 cogviewx
0 cogview-3-flash cogviewx-flash
`;
