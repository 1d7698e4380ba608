import { Stack, Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { OptionFields } from '../fields/OptionFields.tsx';
import { SectionFooter } from '../sections/SectionFooter.tsx';
import { OPERATION_SECTIONS } from '../sections/tabs.ts';
import { UnsetPrices } from './UnsetPrices.tsx';
import { VisualPrices } from './VisualPrices.tsx';

/** Three views of the same options. */
export function PricesPanel() {
  const { t } = useTranslation();
  return (
    <Tabs defaultValue="visual" keepMounted={false}>
      <Tabs.List aria-label={t('setting.price.tabs')} mb="md">
        <Tabs.Tab value="json">{t('setting.price.tab.json')}</Tabs.Tab>
        <Tabs.Tab value="visual">{t('setting.price.tab.visual')}</Tabs.Tab>
        <Tabs.Tab value="unset">{t('setting.price.tab.unset')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="json">
        <Stack gap="md">
          <OptionFields keys={OPERATION_SECTIONS.prices} />
          <SectionFooter name="prices" keys={OPERATION_SECTIONS.prices} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="visual">
        <VisualPrices />
      </Tabs.Panel>
      <Tabs.Panel value="unset">
        <UnsetPrices />
      </Tabs.Panel>
    </Tabs>
  );
}
