import { Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CopyButton, CopyText } from '../../../components/display/copy.tsx';
import { Facts } from '../../../components/display/Facts.tsx';
import { FullTime } from '../../../components/display/RelativeTime.tsx';
import type { ImageTask } from '../calls.ts';
import { SubmittedAt } from '../cells.tsx';
import classes from '../Task.module.css';

/** Below a row: the texts that its cells truncate. */
export function ImageTaskDetail({ imageTask }: { readonly imageTask: ImageTask }) {
  const { t } = useTranslation();
  const texts = [
    [t('task.prompt'), imageTask.prompt],
    [t('task.promptEn'), imageTask.prompt_en],
    [t('task.failReason'), imageTask.fail_reason],
  ] as const;
  const whole = texts
    .filter(([, text]) => text !== '')
    .map(([name, text]) => [name, <Whole key={name} text={text} />] as const);
  return (
    <div className={classes.expanded}>
      <Facts
        facts={[
          [t('task.id'), <CopyText key="id" text={imageTask.mj_id} />],
          [
            t('task.submitted'),
            <Group key="submitted" gap={6}>
              <FullTime at={imageTask.submit_time / 1000} /> <SubmittedAt code={imageTask.code} />
            </Group>,
          ],
          ...whole,
        ]}
      />
    </div>
  );
}

function Whole({ text }: { readonly text: string }) {
  return (
    <div className={classes.whole}>
      <span>{text}</span>
      <CopyButton text={text} />
    </div>
  );
}
