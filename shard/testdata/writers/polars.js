const pl = require('nodejs-polars');
const fs = require('fs');
const docs=[];
for(let i=0;i<60;i++){const items=[],counts=[];for(let j=0;j<i%7;j++){items.push('w'+((i*7+j*j)%23));counts.push(j%3+1);}
 const seen={};const it=[],ct=[];items.forEach((w,k)=>{if(!(w in seen)){seen[w]=it.length;it.push(w);ct.push(counts[k]);}else ct[seen[w]]+=counts[k];});docs.push({items:it,counts:ct});}
fs.writeFileSync('documents.jsonl', docs.map((d,i)=>JSON.stringify({id:'d'+i,...d})).join('\n')+'\n');
const df = pl.DataFrame({doc_id: docs.map((d,i)=>'d'+i), items: pl.Series('items', docs.map(d=>d.items), pl.List(pl.Utf8)), counts: pl.Series('counts', docs.map(d=>d.counts), pl.List(pl.Int64))});
console.log(df.dtypes.map(String));
df.writeParquet('polars_zstd.parquet',{compression:'zstd'});
df.writeParquet('polars_lz4.parquet',{compression:'lz4'});
df.writeParquet('polars_brotli.parquet',{compression:'brotli'});
df.writeIPC('polars.arrow');
df.writeIPC('polars_zstd.arrow',{compression:'zstd'});
df.writeIPC('polars_lz4.arrow',{compression:'lz4'});
try{df.writeIPCStream('polars_stream.arrow',{compression:'lz4'});}catch(e){console.log(e.message)}
const long={order_id:[],sku:[],qty:[]};docs.forEach((d,i)=>d.items.forEach((w,k)=>{long.order_id.push('d'+i);long.sku.push(w);long.qty.push(d.counts[k]);}));
let lf=pl.DataFrame(long);
lf.writeParquet('polars_long.parquet');
lf.writeIPC('polars_long.arrow');
try{ lf.withColumn(pl.col('sku').cast(pl.Categorical)).writeIPC('polars_long_categorical.arrow'); lf.withColumn(pl.col('sku').cast(pl.Categorical)).writeParquet('polars_long_categorical.parquet'); }catch(e){console.log(e.message)}
try{ df.withColumn(pl.col('items').cast(pl.List(pl.Categorical))).writeIPC('polars_categorical.arrow'); }catch(e){console.log(e.message)}
lf.writeCSV('polars_long.csv');
