import { Button, Group, Text } from '@mantine/core';
import { IconCloudDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { splitKeys } from '../../../../../../src/domain/channels/channel-keys.ts';
import { CopyWideButton } from '../../../../components/display/copy.tsx';
import { channelModels } from '../../calls.ts';
import { ModelDiffDialog } from '../../models/ModelDiffDialog.tsx';
import { tidyUrl } from '../channel-form.ts';
import { useChannelTypes, useTypicalModels } from '../useChannelTypes.ts';
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
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          disabled={related.length === 0}
          onClick={() => set([...models, ...related])}
        >
          {t('channel.models.related')}
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={isFixed}
          onClick={() => set([...models, ...everything])}
        >
          {t('channel.models.everything')}
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={isFixed || hasNoList}
          title={hasNoList ? t('channel.models.noList') : undefined}
          leftSection={<IconCloudDownload size={14} />}
          onClick={() => setFetching(true)}
        >
          {t('channel.models.fetch')}
        </Button>
        <CopyWideButton size="xs" text={models.join(',')} disabled={models.length === 0}>
          {t('action.copy')}
        </CopyWideButton>
        <Button
          size="xs"
          variant="default"
          disabled={isFixed || models.length === 0}
          onClick={() => set([])}
        >
          {t('channel.models.clear')}
        </Button>
        <Text size="xs" c="dimmed" ml="auto">
          {t('channel.models.count', { count: models.length })}
        </Text>
      </Group>
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
