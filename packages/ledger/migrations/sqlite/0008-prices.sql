-- What a Run's checks priced its compute by, so that its receipt is priced by the same.
alter table run_documents add column price text;
-- Until now there were these two prices.
update run_documents set price = case
  when execution like '%"runner":"rtx6000_blackwell_96gb"%' then
    '{"gpu_type":"rtx6000_blackwell_96gb","gpu_name":"RTX PRO 6000 Blackwell Workstation 96GB","vram_gb":96,"hourly_rate_usd":"5.00"}'
  else
    '{"gpu_type":"rog_astral_5090_32gb","gpu_name":"ASUS ROG Astral RTX 5090 32GB","vram_gb":32,"hourly_rate_usd":"2.00"}'
  end
  where checks is not null and checks <> '[]' and approval is null
    and (execution like '%"runner":"rtx6000_blackwell_96gb"%' or execution like '%"runner":"rog_astral_5090_32gb"%')
    and exists (select 1 from runs where runs.id = run_documents.id and runs.organization_id = run_documents.organization_id and lane = 'cook');
