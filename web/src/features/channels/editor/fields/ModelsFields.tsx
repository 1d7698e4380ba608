import { Group } from '@mantine/core';
import { IconCloudDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { splitKeys } from '../../../../../../src/domain/channels/channel-keys.ts';
import { CopyWideButton } from '../../../../components/display/copy.tsx';
import { Dimmed } from '../../../../components/display/Dimmed.tsx';
import { SideButton } from '../../../../components/display/SideButton.tsx';
import { channelModels } from '../../calls.ts';
import { ModelDiffDialog } from '../../models/ModelDiffDialog.tsx';
import { tidyUrl } from '../channel-form.ts';
import { useChannelTypes, useTypicalModels } from '../useChannelTypes.ts';
import { PlainFields } from './ColumnField.tsx';
import type { FieldsProps } from './fields-props.ts';
import { ChannelModelsInput } from './ModelsInput.tsx';

export function ModelsFields({ form, channel }: FieldsProps) {
  const { t } = useTranslation();
  const [isFetching, setFetching] = useState(false);
  const { models, type } = form.values;
  const usual = useTypicalModels();
  const related = usual[String(type)] ?? [];
  const everything = [...new Set(Object.values(usual).flat())];
  const facts = useChannelTypes().get(type);
  const isFixed = facts?.fixed_models ?? false;
  const hasNoList = facts?.lists_models === false;
  const set = (next: readonly string[]) => form.setFieldValue('models', [...new Set(next)]);
  return (
    <>
      <ChannelModelsInput
        isRequired
        isFixed={isFixed}
        value={models}
        onChange={set}
        suggestions={related.length > 0 ? related : everything}
        error={form.errors.models}
      />
      <Group>
        <SideButton
          size="xs"
          disabled={related.length === 0}
          label={t('channel.models.related')}
          onClick={() => set([...models, ...related])}
        />
        <SideButton
          size="xs"
          disabled={isFixed}
          label={t('channel.models.everything')}
          onClick={() => set([...models, ...everything])}
        />
        <SideButton
          size="xs"
          disabled={isFixed || hasNoList}
          title={hasNoList ? t('channel.models.noList') : undefined}
          icon={IconCloudDownload}
          label={t('channel.models.fetch')}
          onClick={() => setFetching(true)}
        />
        <CopyWideButton size="xs" text={models.join(',')} disabled={models.length === 0}>
          {t('action.copy')}
        </CopyWideButton>
        <SideButton
          size="xs"
          disabled={isFixed || models.length === 0}
          label={t('channel.models.clear')}
          onClick={() => set([])}
        />
        <Dimmed ml="auto">{t('channel.models.count', { count: models.length })}</Dimmed>
      </Group>
      <PlainFields form={form} section="models" />
      {isFetching && (
        <ModelDiffDialog
          onClose={() => setFetching(false)}
          current={models}
          fetch={(signal) => upstreamModels({ form, channel }, signal)}
          onApply={(next) => {
            set(next);
            setFetching(false);
          }}
        />
      )}
    </>
  );
}

/** Uses the stored channel, or the form's values once a key has been typed. */
function upstreamModels(
  { form, channel }: FieldsProps,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { base_url, type, key, other } = form.getValues();
  const [first = ''] = splitKeys(key);
  if (channel !== undefined && first === '')
    return channelModels.fetch({ id: channel.id }, { signal });
  return channelModels.fetchOf(
    { base_url: tidyUrl(base_url), type, key: first, other },
    { signal },
  );
}
