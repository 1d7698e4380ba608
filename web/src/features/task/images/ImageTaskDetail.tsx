import { useTranslation } from 'react-i18next';
import { CopyButton, CopyText } from '../../../components/display/copy.tsx';
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
  return (
    <dl className={`${classes.facts} ${classes.expanded}`}>
      <dt>{t('task.id')}</dt>
      <dd>
        <CopyText text={imageTask.mj_id} />
      </dd>
      <dt>{t('task.submitted')}</dt>
      <dd>
        <FullTime at={imageTask.submit_time / 1000} /> <SubmittedAt code={imageTask.code} />
      </dd>
      {texts
        .filter(([, text]) => text !== '')
        .map(([name, text]) => [
          <dt key={`${name} name`}>{name}</dt>,
          <dd key={name} className={classes.whole}>
            <span>{text}</span>
            <CopyButton text={text} />
          </dd>,
        ])}
    </dl>
  );
}
