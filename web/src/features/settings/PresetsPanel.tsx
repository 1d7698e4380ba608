import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PRICE_OPTIONS } from '../../../../src/domain/options/pricing.ts';
import { confirm } from '../../parts/confirm.tsx';
import { say } from '../../parts/toasts.tsx';
import { useAction } from '../../parts/useAction.ts';
import { optionKeys, options, priceKeys } from './calls.ts';
import { fetchPresets, overlaid, PRESET_SOURCES, type PresetSource } from './presets.ts';
import { useSettings } from './settings-store.ts';
import { useSavePrices } from './useSavePrices.tsx';

/** Ratios that others keep up to date, and the way back to the built-in ones. */
export function PresetsPanel() {
  const { t } = useTranslation();
  const { text, discard } = useSettings();
  const { saveTexts } = useSavePrices();
  const [source, setSource] = useState<PresetSource>('flexible');
  const [isBusy, setBusy] = useState(false);
  const reset = useAction(() => options.resetModelRatio({}), {
    touches: [optionKeys, priceKeys],
    done: () => t('setting.preset.resetDone'),
    onDone: () => discard(PRICE_OPTIONS),
    isQuiet: true,
  });

  const take = async () => {
    setBusy(true);
    const presets = await fetchPresets(source);
    setBusy(false);
    if (presets === undefined) return say.error(t('setting.preset.failed'));
    const texts = {
      ModelRatio: overlaid(text('ModelRatio'), presets.prompt),
      CompletionRatio: overlaid(text('CompletionRatio'), presets.completion),
    };
    if (texts.ModelRatio === undefined && texts.CompletionRatio === undefined)
      return say.info(t('setting.preset.same'));
    await saveTexts(
      {
        ModelRatio: texts.ModelRatio ?? text('ModelRatio'),
        CompletionRatio: texts.CompletionRatio ?? text('CompletionRatio'),
      },
      t('setting.preset.apply'),
    );
  };

  const askReset = async () => {
    const isSure = await confirm({
      title: t('setting.preset.resetAsk'),
      text: t('setting.preset.resetText'),
      verb: t('setting.preset.reset'),
      isDanger: true,
    });
    if (isSure)
      reset.mutate(undefined, { onError: () => say.error(t('setting.preset.resetFailed')) });
  };

  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t('setting.preset.hint')}
      </Text>
      <Group align="flex-end" gap="xs">
        <Select
          label={t('setting.preset.source')}
          w={200}
          allowDeselect={false}
          data={PRESET_SOURCES.map((value) => ({
            value,
            label: t(`setting.preset.source.${value}`),
          }))}
          value={source}
          onChange={(next) => next !== null && setSource(next as PresetSource)} // one of the values above
        />
        <Button loading={isBusy} onClick={() => void take()}>
          {t('setting.preset.fetch')}
        </Button>
        <Button
          variant="outline"
          color="danger"
          loading={reset.isPending}
          onClick={() => void askReset()}
        >
          {t('setting.preset.reset')}
        </Button>
      </Group>
    </Stack>
  );
}
