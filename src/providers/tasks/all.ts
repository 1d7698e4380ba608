/** All task providers. */
import { kling } from './kling.ts';
import { midjourney } from './midjourney.ts';
import { suno } from './suno.ts';
import type { TaskProvider } from './task-provider.ts';

export const TASK_PROVIDERS: readonly TaskProvider[] = [midjourney, suno, kling];
