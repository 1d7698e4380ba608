import { Code, Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ModelTag } from '../../../components/display/tag-lists.tsx';
import classes from './ChannelEditor.module.css';
import { tidyUrl } from './channel-form.ts';
import type { FieldsProps } from './fields/fields-props.ts';
import { previewOf } from './request-preview.ts';
import { useTypes } from './useChannelTypes.ts';

/** A preview of how the gateway would handle a call with the unsaved form. */
export function RequestSummary({ form }: FieldsProps) {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState<string | null>(null);
  const { values } = form;
  const usual = useTypes().get(values.type)?.base_url ?? '';
  const model = wanted !== null && values.models.includes(wanted) ? wanted : values.models[0];
  if (model === undefined) return <Text c="dimmed">{t('channel.summary.none')}</Text>;
  const { asked, sent, overrides, hasSystemPrompt } = previewOf(values, model);
  return (
    <>
      <Select
        label={t('channel.summary.model')}
        searchable
        allowDeselect={false}
        data={[...values.models]}
        limit={50}
        value={model}
        onChange={setWanted}
      />
      <dl className={classes.preview}>
        <dt>{t('channel.summary.asks')}</dt>
        <dd>
          <ModelTag model={asked} upstream={sent} />
          {sent === undefined && (
            <Text size="sm" c="var(--tone-red-text)">
              {t('channel.summary.circle')}
            </Text>
          )}
        </dd>
        <dt>{t('channel.summary.for')}</dt>
        <dd>{values.group.join(', ')}</dd>
        <dt>{t('channel.summary.goes')}</dt>
        <dd>
          <Code>{tidyUrl(values.base_url) || usual || '-'}</Code>
        </dd>
        {overrides.length > 0 && (
          <>
            <dt>{t('channel.summary.overrides')}</dt>
            <dd>
              <Group gap={4}>
                {overrides.map((one) => (
                  <Code key={one}>{one}</Code>
                ))}
              </Group>
            </dd>
          </>
        )}
        {hasSystemPrompt && (
          <>
            <dt>{t('channel.field.systemPrompt')}</dt>
            <dd>{t('channel.summary.prompt')}</dd>
          </>
        )}
      </dl>
    </>
  );
}
